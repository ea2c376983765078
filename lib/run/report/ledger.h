/* What every worker of a trace has in hand: which events can be, and since when what they end was going on. */
#ifndef RUN_LEDGER_H
#define RUN_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/trace.h"

/* A minibatch whose fate is not known yet. */
struct hand {
    uint64_t seq, version;
    double sent; /* seconds, as all times here */
};

/* Of one worker. */
struct book {
    bool seen;
    uint64_t started; /* minibatches */
    uint64_t next;    /* the seq that must come */
    double pushed;    /* when, while it waits for its next minibatch; else NAN */
    struct hand *hand;
    size_t hands, cap;
};

/* Zeroed before use. */
struct ledger {
    struct book *v; /* (n), by worker */
    size_t n, cap;
};

/* What an event means besides itself. */
struct fact {
    const struct book *book; /* of the event's worker, after the event; NULL: it has none. Until the next event */
    double sent;    /* push, cancelled, late, drop, leave with a seq: when that minibatch was sent; else NAN */
    double waiting; /* send with a seq: since when the worker waited for it, or NAN */
};

/* Takes an event in. ERR_DATA, without the place, for one that cannot be: a worker beyond a million, a minibatch
 * that does not follow the one before, an end of one that was not started or has its end already. */
int ledger_hear(struct ledger *l, const struct trace_event *ev, struct fact *f, struct err *e);
void ledger_free(struct ledger *l);

#endif
