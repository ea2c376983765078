/* What a run is at an update, and how it goes on from there. */
#include "run/aggregate_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/act_trace.h"
#include "run/aggregate_inside.h"

void aggregate_mark(struct aggregate *a, double now)
{
    a->marked.now = now;
    a->marked.combine = a->combine;
    a->marked.thrown = a->thrown;
    a->marked.policy = a->policy_text;
    a->marked.step = a->step_text;
    trace_mark(a->trace);
}

size_t aggregate_memory(const struct aggregate *a, struct memory v[static MEMORIES])
{
    return a->optimizer->memory == NULL ? 0 : a->optimizer->memory(a->state, v);
}

void aggregate_state(const struct aggregate *a, struct aggregate_state *s)
{
    *s = (struct aggregate_state){
        .iteration = a->iteration,
        .time = a->marked.now,
        .loss = a->loss,
        .combine = a->marked.combine,
        .thrown = a->marked.thrown,
        .rows = a->sum.rows,
        .w = a->w,
        .policy = policy_mark(a->policy, a->iteration),
        .policy_text = a->marked.policy,
        .step_text = a->marked.step,
    };
    s->memories = aggregate_memory(a, s->memory);
}

void aggregate_restore(struct aggregate *a, const struct aggregate_state *s)
{
    struct memory mine[MEMORIES];
    size_t n = a->conf.layout->size, memories = aggregate_memory(a, mine);
    a->iteration = s->iteration;
    changes_note(&a->changes, s->iteration, NULL, 0, NULL);
    a->loss = s->loss;
    a->marked.now = s->time;
    a->marked.combine = s->combine;
    a->marked.thrown = s->thrown;
    memcpy(a->w, s->w, n * sizeof *a->w);
    memcpy(a->sum.rows, s->rows, (size_t)a->conf.run.workers * sizeof *s->rows);
    for (size_t i = 0; i < memories; i++)
        memcpy(mine[i].v, s->memory[i].v, n * sizeof(float));
}

static void tell_gone(struct aggregate *a, const struct policy_mark *m)
{
    for (uint64_t w = 0; w < a->conf.run.workers; w++) {
        if (m->place[w].here)
            act_trace_gone(a->trace, a->marked.now, w, "resumed");
        if (a->versions != NULL)
            versions_drop(a->versions, w);
    }
}

int aggregate_resume(struct aggregate *a, const struct policy_mark *from, const uint64_t *budget,
                     uint64_t updates, const char *note, struct err *e)
{
    const struct policy_mark *m = from != NULL ? from : policy_mark(a->policy, a->iteration);
    struct trace_event ev = trace_event(TRACE_SET, a->marked.now);
    ev.version = ev.iteration = a->iteration;
    ev.loss = a->loss;
    snprintf(ev.note, sizeof ev.note, "%s", note);
    if (policy_resume(a->policy, m, budget, updates, &a->acts, e) < 0)
        return -1;
    trace_write(a->trace, &ev);
    tell_gone(a, m);
    a->combine = a->marked.combine;
    a->thrown = a->marked.thrown;
    a->gathering = true;
    struct turn t = {
        .now = a->marked.now, .compute = NAN, .delay = NAN, .note = "gone", .holder = NOBODY
    };
    return aggregate_carry(a, &t, e);
}
