/* The clock that cannot be set back. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Seconds of the system's monotonic clock; only differences mean anything. */
double clock_now(void);

#endif
