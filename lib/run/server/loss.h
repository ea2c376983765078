/* Workers that are lost: what is said, and whether the run can go on without (--on-loss). */
#ifndef RUN_LOSS_H
#define RUN_LOSS_H

#include "run/server/state.h"

/* A row of --on-loss. */
struct loss_ops {
    struct plug plug;
    enum policy_loss policy; /* what becomes of K */
    bool wait;               /* up to --loss-timeout, when no update can be made any more */
};

static inline const struct loss_ops *loss_row(const struct server *s)
{
    return (const struct loss_ops *)s->conf->on_loss.plug;
}

uint64_t loss_here(const struct server *s); /* workers at their places */
void loss_of(struct peer *p, const char *why); /* a worker at its place is lost */
void loss_settle(struct server *s);            /* after every event: can the run go on? */
void loss_timeout(struct server *s);           /* --loss-timeout is over */

#endif
