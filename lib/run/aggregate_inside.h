/* The insides of the aggregate, shared by its files. */
#ifndef RUN_AGGREGATE_INSIDE_H
#define RUN_AGGREGATE_INSIDE_H

#include "run/aggregate.h"
#include "run/changes.h"
#include "run/sum.h"

struct aggregate {
    struct aggregate_conf conf;
    const char *policy_text, *step_text; /* in force */
    const struct optimizer_ops *optimizer;
    const struct step_ops *step;
    void *state; /* the optimizer's */
    struct policy *policy;
    struct acts acts, unsent;
    float *w, *next; /* (size) each */
    struct sum sum;
    struct changes changes;
    struct versions *versions; /* what workers read; NULL when nobody needs it */
    uint64_t iteration;        /* updates applied to w */
    uint64_t combine;          /* K in force */
    double loss;               /* of the last update */
    struct {
        double now;
        uint64_t combine, thrown;
        const char *policy, *step;
    } marked; /* what is below, as it was at the last update, and when that was */
    bool gathering;            /* all workers come again: K is told with the first gradient */
    uint64_t *data;            /* (P) rows that each worker has; 0: not known */
    uint64_t thrown;           /* rows of minibatches that nobody used; TRACE_NA: not known */
    struct trace_writer *trace;
    const struct aggregate_calls *calls;
    void *self;
};

/* One event while its acts are carried out. */
struct turn {
    double now;
    const struct gradient_in *g; /* or NULL */
    double compute, delay;       /* of a minibatch broken off; NAN when unknown */
    const char *note;            /* why it was broken off, or "" */
    uint64_t holder, held;       /* this worker holds that version; NOBODY: no one does */
    struct entries alone;        /* a gradient that makes an update all by itself; value NULL: there is none */
    bool stepped;
};
#define NOBODY UINT64_MAX

/* aggregate_state.c: the last update is made, and its line of the trace is written. */
void aggregate_mark(struct aggregate *a, double now);

/* aggregate_step.c: the next parameters, by the sum of `count` gradients. -1: ERR_NO, they are not finite. */
int aggregate_step(struct aggregate *a, const struct entries *sum, double count, uint64_t version, struct err *e);

/* All that the policy said, in its order. */
int aggregate_carry(struct aggregate *a, struct turn *t, struct err *e);

#endif
