/* The one owner of the parameters: carries out a policy's acts for server and simulator alike.
 *
 * Told the same events as the policy, with the gradients themselves; sums them (sync, k-sync, k-async: held
 * and added by rank; batch forms: on arrival), steps, grants versions, and writes the trace. */
#ifndef RUN_AGGREGATE_H
#define RUN_AGGREGATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/trace.h"
#include "learn/model.h"
#include "learn/optimizer.h"
#include "policy/policy.h"

/* A minibatch's gradient as it arrived. */
struct gradient_in {
    uint64_t version, seq; /* as the worker echoed them */
    uint64_t rows;
    double loss, compute, delay; /* mean data loss (NAN without parameters); seconds */
    const float *g;              /* layout->size floats, mean over its rows. Under a policy whose
                                    gradients are held, it must stay until the next update. */
    const uint32_t *index;       /* where the n numbers of g stand, ascending, the others being 0; NULL: g is all.
                                    It stays as g does */
    size_t n;
};

/* What the aggregate asks its engine to do. */
struct aggregate_calls {
    /* Send parameters (aggregate_w, version) to worker for minibatch seq: whatever it was computing is void.
     * `again`: it holds that version already. Returns 1 when the newest grant before this one never went
     * out and is replaced (conn_params), 0 otherwise; failures are the engine's to notice later. */
    int (*send)(void *self, uint64_t worker, uint64_t version, uint64_t seq, bool again);
    /* worker has made all its minibatches. */
    void (*leave)(void *self, uint64_t worker);
    /* An update was made (aggregate_iteration counts it). */
    void (*updated)(void *self, double now);
    /* Whether all that follows this update was never carried out (aggregate_resume is next); NULL: it always was. */
    bool (*cut_off)(void *self);
};

struct aggregate_conf {
    const struct spec *policy, *optimizer, *step; /* parsed; must outlive the aggregate */
    const struct layout *layout;
    uint64_t batch; /* b: rows of a minibatch; 0: not known */
    double l1, l2;
    double clip;                /* largest norm of a gradient; 0: any */
    const struct spec *correct; /* --correct (correct_table), or NULL */
    bool keep_read;             /* aggregate_read is wanted */
    struct policy_run run;
};

enum { AGGREGATE_COPIES = 3 /* of the parameters, at the least: now, next, and the sum */ };

struct aggregate;
/* w: start parameters, copied. trace: never NULL, may be unopened. */
struct aggregate *aggregate_open(const struct aggregate_conf *conf, const float *w,
                                 struct trace_writer *trace, const struct aggregate_calls *calls,
                                 void *self, struct err *e);
void aggregate_close(struct aggregate *a);

/* worker has so many rows from now on (0, as at first: not known): what becomes of a minibatch that
 * brings no gradient is told in rows, too. */
void aggregate_data(struct aggregate *a, uint64_t worker, uint64_t rows);

/* Events, as in policy.h. -1: ERR_PEER (that worker broke the protocol; close it and say gone), ERR_NO
 * (loss or parameters not finite: the run is over, aggregate_w is the last finite model), ERR_SYSTEM. */
int aggregate_join(struct aggregate *a, double now, uint64_t worker, uint64_t budget,
                   const char *note, struct err *e);
int aggregate_push(struct aggregate *a, double now, uint64_t worker, const struct gradient_in *g,
                   struct err *e);
int aggregate_cancelled(struct aggregate *a, double now, uint64_t worker, uint64_t seq,
                        double compute, double delay, struct err *e);
int aggregate_gone(struct aggregate *a, double now, uint64_t worker, const char *note,
                   struct err *e);

/* AdaSync (policy_wants_loss, policy_loss, policy_set). */
bool aggregate_wants_loss(struct aggregate *a, double now);
int aggregate_told_loss(struct aggregate *a, double now, double loss, struct err *e);
int aggregate_set_combine(struct aggregate *a, double now, uint64_t k, double loss, struct err *e);

/* What people ask for while the run goes on (policy_change, policy_fire, policy_drain), as lines `set` of the trace:
 * "policy SPEC", "step SPEC", "combine", "drain". The specs stay the caller's, as long as the aggregate and its marks.
 * ERR_USAGE: it cannot be, and nothing has changed. */
int aggregate_set_policy(struct aggregate *a, double now, const struct spec *policy, const struct policy_run *run,
                         struct err *e);
int aggregate_set_step(struct aggregate *a, double now, const struct spec *step, struct err *e);
int aggregate_combine(struct aggregate *a, double now, struct err *e);
int aggregate_drain(struct aggregate *a, double now, uint64_t worker, struct err *e);
/* That something happened which changes nothing of the training. */
void aggregate_note(struct aggregate *a, double now, const char *note);

/* After the end: what worker had in hand when it left (seq FRAME_NO_SEQ: nothing). Trace only. */
void aggregate_farewell(struct aggregate *a, double now, uint64_t worker, uint64_t seq,
                        double compute, double delay);
/* The end of the run: writes the stop line. */
void aggregate_stop(struct aggregate *a, double now, const char *why);

const float *aggregate_w(const struct aggregate *a);
/* Which parameters are others since that version, as changes_since. */
const uint32_t *aggregate_changes(struct aggregate *a, uint64_t since, size_t *n);
uint64_t aggregate_iteration(const struct aggregate *a);
double aggregate_loss(
    const struct aggregate *a); /* mean over the last update's gradients; NAN before */
const float *aggregate_read(const struct aggregate *a,
                            uint64_t worker); /* what it computes on, or NULL */
bool aggregate_holds(const struct aggregate *a,
                     uint64_t worker); /* its gradient waits for the update */
uint64_t aggregate_rows(const struct aggregate *a,
                        uint64_t worker); /* of its gradients that were used */
uint64_t aggregate_thrown(
    const struct aggregate *a); /* rows of minibatches cancelled, late or dropped; or TRACE_NA */
const struct policy *aggregate_policy(const struct aggregate *a);

#endif
