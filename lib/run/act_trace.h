/* A policy's acts, and what else the aggregate is told, as lines of the trace. A trace that goes nowhere
 * costs a look at it and no more. */
#ifndef RUN_ACT_TRACE_H
#define RUN_ACT_TRACE_H

#include "base/trace.h"
#include "run/aggregate.h"

/* The gradient g was taken, or, by kind, came late or was dropped; iteration: updates before it. */
void act_trace_push(struct trace_writer *t, double now, const struct act *act, uint64_t iteration,
                    const struct gradient_in *g);
void act_trace_update(struct trace_writer *t, double now, const struct act *act, double loss);
void act_trace_void(struct trace_writer *t, double now, const struct act *act);
/* A minibatch without a gradient: its rows (or TRACE_NA), and the time spent on it (or NAN). */
struct work_lost {
    uint64_t rows;
    double compute, delay;
};
/* Why: "" when it was confirmed. */
void act_trace_cancel(struct trace_writer *t, double now, const struct act *act,
                      const struct work_lost *lost, const char *why);
void act_trace_grant(struct trace_writer *t, double now, const struct act *act);
void act_trace_set(struct trace_writer *t, double now, uint64_t iteration, uint64_t combine,
                   double loss);

void act_trace_join(struct trace_writer *t, double now, uint64_t worker, uint64_t version,
                    const char *note);
void act_trace_gone(struct trace_writer *t, double now, uint64_t worker, const char *note);
/* After the end: what it leaves unfinished (seq TRACE_NA: nothing). */
void act_trace_farewell(struct trace_writer *t, double now, uint64_t worker, uint64_t version,
                        uint64_t seq, const struct work_lost *lost);
void act_trace_stop(struct trace_writer *t, double now, uint64_t iteration, double loss,
                    const char *why);

#endif
