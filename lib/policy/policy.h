/* When an update fires, and what it does to the workers: the one rule behind every policy.
 *
 * A pure state machine (ARCHITECTURE, "One idea"): it is told what arrived and answers with acts.
 * No I/O, no clock, no random number; every event carries `now`. It owns the numbers: the version of
 * the parameters (= updates so far), every worker's minibatch number (seq) and every worker's account.
 *
 * THEORY 1 has the variants, 1.1 the identities that hold with equality. The rule: an update is
 * applied each time K gradients have been combined; four knobs tell the policies apart. */
#ifndef POLICY_POLICY_H
#define POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/plug.h"

/* What tells the policies apart. */
struct knobs {
    uint64_t combine; /* K: gradients in an update */
    bool distinct; /* they come from K different workers, who wait for the update; they are held and
                         added in order of rank */
    bool voids;    /* an update makes all outstanding work void */
    uint64_t ahead; /* a worker more than this many steps ahead of the slowest waits; or NO_BOUND */
    uint64_t age;   /* no gradient of this staleness or more is used; or NO_BOUND */
    bool
        drop; /* too old ones are dropped when they arrive, else broken off when they come of age */
    const struct adapt *adapt; /* how K follows the loss; or NULL */
};
#define NO_BOUND UINT64_MAX

/* AdaSync (THEORY 5): K follows the loss; asked every so many seconds, at an update. */
struct adapt {
    const char *family; /* name of the policy whose other knobs are in force */
    uint64_t k0, k_max; /* first K; k_max 0: P */
    double every;       /* seconds */
    double floor;       /* loss that no model goes below: taken off before ratios */
    bool full; /* the loss is that of all rows, which policy_loss tells; else the mean of the gradients
                  used in the interval */
};
/* A row of the table. */
struct policy_ops {
    struct plug plug;
    void (*knobs)(const void *conf, uint64_t workers, struct knobs *k); /* k: no bounds yet */
};

extern const struct table policy_table;

enum act_kind {
    ACT_TAKE,   /* the gradient just pushed goes into the sum; staleness is set */
    ACT_LATE,   /* the gradient just pushed was void already: nobody uses it */
    ACT_STEP,   /* apply the mean of `count` gradients; version is the new one */
    ACT_VOID,   /* what worker computes (seq) is void */
    ACT_SEND,   /* grant version to worker: it starts minibatch seq */
    ACT_CREDIT, /* grant version to worker on paper: it is gone, or this was the last update */
    ACT_CANCEL, /* seq of worker is cancelled for good: confirmed, never sent, or its worker is gone */
    ACT_DROP,  /* the gradient just pushed is too old: nobody uses it; staleness is set */
    ACT_SET,   /* K is `count` from now on, where so many can be combined */
    ACT_LEAVE, /* worker made all its minibatches: it holds version and leaves */
};

struct act {
    enum act_kind kind;
    uint64_t worker, version, seq, staleness, count;
    double loss;     /* ACT_SET: what K follows from; NAN: it was told */
    uint64_t before; /* ACT_SET: policy_combine until then */
};

/* The answer to one event, in the order in which it is to be carried out. Zeroed before use;
 * every event call empties it first. acts_free at the end. */
struct acts {
    struct act *v;
    size_t n, cap;
};
void acts_free(struct acts *a);

/* started = used + cancelled + late + dropped + unfinished, each seq in exactly one. */
struct account {
    uint64_t started, used, cancelled, late, dropped, unfinished;
    uint64_t staleness_sum, staleness_max; /* of the used */
};

/* When K exceeds the workers left after a loss: keep K (the caller watches policy_stalled), or
 * reduce it until workers return. */
enum policy_loss { POLICY_KEEP, POLICY_SHRINK };

struct policy_run {
    uint64_t workers; /* P, from 1 */
    uint64_t updates; /* the last update; grants of that one are credits; 0: no limit */
    enum policy_loss loss;
    /* AdaSync asks which K follows from K0 when the loss has fallen to `ratio` of the first interval's
     * (in (0, 1]); the answer is clamped here. NULL: K stays, but for policy_set. */
    uint64_t (*choose)(void *self, const struct adapt *a, uint64_t workers, double ratio);
    void *self;
    bool marks; /* policy_mark is wanted */
};

struct policy;

/* One of the P places as it was right after an update, before anybody was granted it. */
struct policy_place {
    uint64_t here, working; /* 0 or 1 */
    uint64_t seq;           /* what it works on */
    uint64_t next;          /* number of the minibatch that it starts next */
    uint64_t version;       /* last granted */
    uint64_t started, used, cancelled, late, dropped, staleness_sum, staleness_max;
};
/* A minibatch that was void and not confirmed so. */
struct policy_void {
    uint64_t worker, seq;
};
/* How K has followed the loss so far. */
struct policy_follow {
    double combine, due, loss_sum, losses, told, told_loss, first;
};
/* All that a policy knows right after an update, when nothing waits for the next one: a run can go on from here. */
struct policy_mark {
    uint64_t version;
    struct policy_place *place;   /* (P) */
    uint64_t *contributor;        /* (contributors): whose gradients made the update, in order of arrival */
    struct policy_void *voided;   /* (voids) by worker, oldest first */
    size_t contributors, contributors_cap, voids, voids_cap;
    struct policy_follow follow;
};

/* NULL and e: ERR_USAGE when K does not fit P. No worker is there yet. */
struct policy *policy_open(const struct spec *spec, const struct policy_run *run, struct err *e);
void policy_close(struct policy *p);

/* Events. 0, or -1 and e: ERR_PEER when the worker may not do that (nothing has changed then),
 * ERR_SYSTEM without memory. worker < P always. */

/* A worker takes the place `worker` (which must be empty) and will make minibatches up to `budget`
 * (exclusive; UINT64_MAX: without end). Its numbering goes on where the place's stopped. */
int policy_join(struct policy *p, double now, uint64_t worker, uint64_t budget, struct acts *a,
                struct err *e);
/* Its gradient of minibatch seq arrived, with its mean loss. */
int policy_push(struct policy *p, double now, uint64_t worker, uint64_t seq, double loss,
                struct acts *a, struct err *e);
/* It says that it broke off the voided seq. */
int policy_cancelled(struct policy *p, double now, uint64_t worker, uint64_t seq, struct acts *a,
                     struct err *e);
/* The newest SEND to it was voided before a byte of it went out. */
int policy_unsent(struct policy *p, double now, uint64_t worker, struct acts *a, struct err *e);
/* It is lost. */
int policy_gone(struct policy *p, double now, uint64_t worker, struct acts *a, struct err *e);

/* AdaSync with `full`: an interval begins, and the loss of all rows under the newest parameters is
 * wanted, once; policy_loss tells it, sooner or later. */
bool policy_wants_loss(struct policy *p, double now);
/* That loss. K that follows from it is in force from the next version on: at once while nothing has been
 * combined for it. */
int policy_loss(struct policy *p, double now, double loss, struct acts *a, struct err *e);
/* K is k from now on, as `loss` made it somewhere else. */
int policy_set(struct policy *p, double now, uint64_t k, double loss, struct acts *a, struct err *e);

/* What people ask for while a run goes on. Other rules from now on; where `distinct` changes nothing may be combined
 * yet (policy_combined). choose, self: as in policy_run. ERR_USAGE when K does not fit P. */
int policy_change(struct policy *p, double now, const struct spec *spec, const struct policy_run *run, struct acts *a,
                  struct err *e);
/* What is combined makes an update now, however little it is; nothing makes none. */
int policy_fire(struct policy *p, double now, struct acts *a, struct err *e);
/* worker is to leave with its next gradient, as if it had made all its minibatches; nobody is awaited in its place.
 * ERR_USAGE when it has left already. */
int policy_drain(struct policy *p, double now, uint64_t worker, struct acts *a, struct err *e);
uint64_t policy_combined(const struct policy *p); /* gradients, for the next update */

/* With policy_run.marks: the state at the update that made this version, which must be one of the last two. */
const struct policy_mark *policy_mark(const struct policy *p, uint64_t version);
/* The run goes on from m (which may be the policy's own): every worker that was there is gone, and what it had in hand
 * cancelled; who made the update is credited it. budget: (P) as in policy_join, of the workers that the places had;
 * updates: as in policy_run. The numbering goes on. ERR_DATA: m is none of such a run. */
int policy_resume(struct policy *p, const struct policy_mark *m, const uint64_t *budget,
                  uint64_t updates, struct acts *a, struct err *e);

/* The run is over, for the last n acts were not carried out: the accounts, and what everybody has in
 * hand, are as if they had never been. No update may follow. */
void policy_undo(struct policy *p, const struct act *v, size_t n);

/* What it knows. */
bool policy_here(const struct policy *p, uint64_t worker);
bool policy_done(const struct policy *p, uint64_t worker); /* made all its minibatches */
bool policy_working(const struct policy *p, uint64_t worker, uint64_t *seq); /* on live work */
bool policy_voided(const struct policy *p,
                   uint64_t worker); /* has void work that it did not confirm yet */
uint64_t policy_granted(const struct policy *p,
                        uint64_t worker);    /* the version last granted to it */
bool policy_stalled(const struct policy *p); /* the workers left can never fill the next update */
/* The last update is made, or all workers are done. Under POLICY_SHRINK the lost count as done when
 * nobody is here any more and one made all its minibatches. */
bool policy_ended(const struct policy *p);
uint64_t policy_version(const struct policy *p);
uint64_t policy_combine(const struct policy *p); /* K in force */
const struct knobs *policy_knobs(const struct policy *p);
struct account policy_account(const struct policy *p, uint64_t worker);

#endif
