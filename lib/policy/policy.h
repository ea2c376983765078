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

/* A row of the table: the knobs. */
struct policy_ops {
    struct plug plug;
    uint64_t (*combine)(const void *conf, uint64_t workers); /* K */
    bool distinct; /* the K gradients come from K different workers, who wait for the update;
                      they are held and added in order of rank */
    bool voids;    /* an update makes all outstanding work void */
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
    ACT_LEAVE,  /* worker made all its minibatches: it holds version and leaves */
};

struct act {
    enum act_kind kind;
    uint64_t worker, version, seq, staleness, count;
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
};

struct policy;

/* NULL and e: ERR_USAGE when K does not fit P. No worker is there yet. */
struct policy *policy_open(const struct spec *spec, const struct policy_run *run, struct err *e);
void policy_close(struct policy *p);

/* Events. 0, or -1 and e: ERR_PEER when the worker may not do that (nothing has changed then),
 * ERR_SYSTEM without memory. worker < P always. */

/* A worker takes the place `worker` (which must be empty) and will make minibatches up to `budget`
 * (exclusive; UINT64_MAX: without end). Its numbering goes on where the place's stopped. */
int policy_join(struct policy *p, double now, uint64_t worker, uint64_t budget, struct acts *a,
                struct err *e);
/* Its gradient of minibatch seq arrived. */
int policy_push(struct policy *p, double now, uint64_t worker, uint64_t seq, struct acts *a,
                struct err *e);
/* It says that it broke off the voided seq. */
int policy_cancelled(struct policy *p, double now, uint64_t worker, uint64_t seq, struct acts *a,
                     struct err *e);
/* The newest SEND to it was voided before a byte of it went out. */
int policy_unsent(struct policy *p, double now, uint64_t worker, struct acts *a, struct err *e);
/* It is lost. */
int policy_gone(struct policy *p, double now, uint64_t worker, struct acts *a, struct err *e);

/* What it knows. */
bool policy_here(const struct policy *p, uint64_t worker);
bool policy_done(const struct policy *p, uint64_t worker); /* made all its minibatches */
bool policy_working(const struct policy *p, uint64_t worker, uint64_t *seq); /* on live work */
uint64_t policy_granted(const struct policy *p, uint64_t worker); /* the version last granted to it */
bool policy_stalled(const struct policy *p); /* the workers left can never fill the next update */
bool policy_ended(const struct policy *p);   /* the last update is made, or all workers are done */
uint64_t policy_version(const struct policy *p);
uint64_t policy_combine(const struct policy *p); /* K in force */
struct account policy_account(const struct policy *p, uint64_t worker);

#endif
