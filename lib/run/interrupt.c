/* Signals that end a program, held back while something is open that has to be closed in order. */
#include "run/interrupt.h"

#include <stddef.h>

static const struct {
    int number;
    const char *name;
} signals[] = {
    { SIGINT, "SIGINT" }, { SIGTERM, "SIGTERM" }, { SIGHUP, "SIGHUP" }, { SIGPIPE, "SIGPIPE" }
};
enum { SIGNALS = sizeof signals / sizeof *signals };

void interrupt_hold(struct interrupt *i)
{
    sigset_t all;
    sigemptyset(&all);
    for (size_t k = 0; k < SIGNALS; k++)
        sigaddset(&all, signals[k].number);
    sigprocmask(SIG_BLOCK, &all, &i->was);
}

const char *interrupt_waiting(void)
{
    sigset_t now;
    sigpending(&now);
    for (size_t k = 0; k < SIGNALS; k++)
        if (sigismember(&now, signals[k].number) == 1)
            return signals[k].name;
    return NULL;
}

void interrupt_release(const struct interrupt *i)
{
    sigprocmask(SIG_SETMASK, &i->was, NULL);
}
