/* Signals that end a program, held back while something is open that has to be closed in order. */
#ifndef RUN_INTERRUPT_H
#define RUN_INTERRUPT_H

#include <signal.h>

struct interrupt {
    sigset_t was;
};

/* From now on SIGINT, SIGTERM, SIGHUP and SIGPIPE wait; a write to a closed pipe fails with EPIPE. */
void interrupt_hold(struct interrupt *i);
/* The name of one that is waiting, or NULL. */
const char *interrupt_waiting(void);
/* One that waits has its effect now: this need not return. */
void interrupt_release(const struct interrupt *i);

#endif
