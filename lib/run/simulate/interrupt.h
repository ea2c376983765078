/* Signals that end a program, held back while something is open that has to be closed in order. */
#ifndef RUN_INTERRUPT_H
#define RUN_INTERRUPT_H

#include <signal.h>

enum { INTERRUPTS = 4 };

struct interrupt {
    struct sigaction was[INTERRUPTS];
};

/* From now on SIGINT, SIGTERM, SIGHUP and SIGPIPE, where they were not ignored, are only remembered; a
 * second one has its usual effect. A write to a closed pipe fails with EPIPE. */
void interrupt_hold(struct interrupt *i);
/* The name of one that came, or NULL. */
const char *interrupt_came(void);
/* One that came has its effect now: this need not return. */
void interrupt_release(const struct interrupt *i);

#endif
