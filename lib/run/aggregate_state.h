/* What a run is at an update, and how it goes on from there: the aggregate's part of a checkpoint.
 *
 * The state is that right after the last update, before anybody was granted it: then no gradient waits for the next
 * one, and what the workers have in hand is all that has to be accounted for. */
#ifndef RUN_AGGREGATE_STATE_H
#define RUN_AGGREGATE_STATE_H

#include "run/aggregate.h"

struct aggregate_state {
    uint64_t iteration;  /* updates made */
    double time, loss;   /* of the last update: seconds from the start; NAN before the first */
    uint64_t combine;    /* K as last told */
    uint64_t thrown;     /* as aggregate_thrown */
    uint64_t *rows;      /* (P), as aggregate_rows */
    float *w;            /* (size) */
    struct memory memory[MEMORIES]; /* the optimizer's, (size) each */
    size_t memories;
    const struct policy_mark *policy;
    const char *policy_text, *step_text; /* SPECs that were in force; not of a checkpoint */
};

/* That of a now: views of what is a's, good until its next event. policy_run.marks must be set. */
void aggregate_state(const struct aggregate *a, struct aggregate_state *s);

/* The same by names alone: which arrays the optimizer of a has. */
size_t aggregate_memory(const struct aggregate *a, struct memory v[static MEMORIES]);

/* Puts the state s into a, which is new; all but the policy's, which aggregate_resume needs. */
void aggregate_restore(struct aggregate *a, const struct aggregate_state *s);

/* The run goes on from a's last update, and the policy from `from` (NULL: what it marked itself then): every worker that
 * was there is gone, what they had in hand is cancelled. Writes it into the trace, with note, and cuts nothing off.
 * budget, updates: as in policy_resume. -1: ERR_DATA, ERR_SYSTEM. */
int aggregate_resume(struct aggregate *a, const struct policy_mark *from, const uint64_t *budget,
                     uint64_t updates, const char *note, struct err *e);

#endif
