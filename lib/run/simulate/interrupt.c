/* Signals that end a program, held back while something is open that has to be closed in order.
 *
 * Blocking them would not do: a library's threads may have them delivered. */
#include "run/simulate/interrupt.h"

#include <stddef.h>

static const struct {
    int number;
    const char *name;
} signals[INTERRUPTS] = {
    { SIGINT, "SIGINT" }, { SIGTERM, "SIGTERM" }, { SIGHUP, "SIGHUP" }, { SIGPIPE, "SIGPIPE" }
};

/* A handler is told nothing else that it could write to. */
static volatile sig_atomic_t came;

static void remember(int number)
{
    came = number;
}

void interrupt_hold(struct interrupt *i)
{
    struct sigaction remembered = { .sa_handler = remember, .sa_flags = SA_RESETHAND | SA_RESTART };
    sigemptyset(&remembered.sa_mask);
    for (size_t k = 0; k < INTERRUPTS; k++) {
        sigaction(signals[k].number, NULL, &i->was[k]);
        if (i->was[k].sa_handler != SIG_IGN)
            sigaction(signals[k].number, &remembered, NULL);
    }
}

const char *interrupt_came(void)
{
    for (size_t k = 0; k < INTERRUPTS; k++)
        if (signals[k].number == came)
            return signals[k].name;
    return NULL;
}

void interrupt_release(const struct interrupt *i)
{
    for (size_t k = 0; k < INTERRUPTS; k++)
        sigaction(signals[k].number, &i->was[k], NULL);
    if (came != 0)
        raise(came);
}
