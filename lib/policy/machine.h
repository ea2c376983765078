/* The insides of the policy state machine, shared by its files. */
#ifndef POLICY_MACHINE_H
#define POLICY_MACHINE_H

#include "policy/policy.h"

#define NONE UINT64_MAX

/* Minibatches of one worker that are void but not yet confirmed so, oldest first. */
struct voided {
    uint64_t *v;
    size_t head, n, cap;
};

/* One of the P places. */
struct member {
    bool here;    /* a worker fills it */
    bool done;    /* all its minibatches were started and none is in hand */
    bool working; /* on live work: minibatch seq, read at version */
    bool holds;   /* its gradient is among those combined (distinct policies) */
    bool waits;   /* too many steps ahead of the slowest */
    uint64_t seq, next, budget, version;
    uint64_t before; /* the version that was granted before `version` */
    uint64_t steps; /* gradients pushed, for `ahead`; a late joiner starts at the slowest's */
    uint64_t older, younger; /* neighbours among those that work, by version; NONE at the ends */
    struct voided voided;
    struct account account;
};

/* A gradient in the sum of the next update. */
struct share {
    uint64_t worker, staleness;
    uint64_t max; /* its worker's largest staleness before the update */
};

struct policy {
    struct knobs knobs;
    struct policy_run run;
    uint64_t version;
    struct member *member; /* (P) */
    uint64_t here;         /* members that are here */
    uint64_t able;         /* that are here, or whose gradient is in the sum */
    uint64_t expected;     /* that are not done, or whose gradient is in the sum */
    struct share *share;   /* (n_share) in order of arrival */
    size_t n_share, share_cap;

    uint64_t oldest, youngest;   /* of those that work; kept when knobs.age is a bound */
    uint64_t slowest, n_slowest; /* fewest steps of those here, and how many have them */
    uint64_t *waiting;           /* (n_waiting) who was told to wait, in order */
    size_t n_waiting, waiting_cap;
    uint64_t held_back; /* slowest when they were told so */

    struct policy_mark mark[2]; /* of the last update and the one before: the newest may still fail */

    double due; /* when AdaSync looks at the loss again */
    double loss_sum;
    uint64_t n_loss;
    bool told;     /* a loss of all rows that K has not followed yet */
    double told_loss;
    double first; /* loss of the first interval, 0 before it is known, -1: it says nothing */
};

/* policy.c: the counters follow a member's flags: take it out, change it, put it back. */
void count(struct policy *p, const struct member *m, bool in);
int act(struct acts *a, struct act one, struct err *e);

/* update.c */
int grant(struct policy *p, uint64_t worker, struct acts *a, struct err *e); /* to an idle worker */
int void_work(struct policy *p, uint64_t worker, struct acts *a,
              struct err *e); /* of a working one */
int settle(struct policy *p, double now, struct acts *a,
           struct err *e); /* fires when enough are combined */

int fire(struct policy *p, double now, bool pushed, struct acts *a, struct err *e); /* pushed: the last share just did */

/* bounds.c: who may start, who has to stop. Without a bound none of these does anything. */
void bounds_arrive(struct policy *p, uint64_t worker); /* it will be here */
void bounds_depart(struct policy *p, uint64_t worker); /* it is here no more */
void bounds_step(struct policy *p, uint64_t worker);   /* it pushed */
bool bounds_wait(struct policy *p, uint64_t worker);   /* it is too far ahead to start */
int bounds_note_wait(struct policy *p, uint64_t worker, struct err *e);
int bounds_release(struct policy *p, struct acts *a, struct err *e); /* those that wait no longer */
void bounds_start(struct policy *p, uint64_t worker);                /* it works from now on */
void bounds_stop(struct policy *p,
                 uint64_t worker); /* it works no more; harmless when it did not */
void bounds_restart(struct policy *p); /* the bounds are others: counted from now on */
int bounds_age(struct policy *p, struct acts *a,
               struct err *e); /* after an update: what came of age */

/* mark.c: the last update is made, nobody is granted it yet. */
int mark_open(struct policy *p, struct err *e);
int mark_update(struct policy *p, struct err *e);
void mark_close(struct policy *p);
int hand_out(struct policy *p, struct acts *a, struct err *e); /* update.c */
int cancel(struct member *m, uint64_t worker, uint64_t seq, struct acts *a, struct err *e); /* policy.c */

/* adapt.c: after an update with its gradients' losses told by adapt_loss. */
void adapt_loss(struct policy *p, double loss);
int adapt_update(struct policy *p, double now, struct acts *a, struct err *e);

#endif
