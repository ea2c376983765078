/* What people ask of a run while it goes on, each with a line of its own in the trace. */
#include <stdio.h>

#include "run/act_trace.h"
#include "run/aggregate_inside.h"

static void tell(struct aggregate *a, double now, uint64_t worker, const char *what, const char *text)
{
    struct trace_event ev = trace_event(TRACE_SET, now);
    if (!trace_wanted(a->trace))
        return;
    ev.version = ev.iteration = a->iteration;
    ev.worker = worker;
    snprintf(ev.note, sizeof ev.note, "%s%s", what, text);
    trace_write(a->trace, &ev);
}

void aggregate_note(struct aggregate *a, double now, const char *note)
{
    tell(a, now, TRACE_NA, note, "");
}

static int carry(struct aggregate *a, double now, struct err *e)
{
    struct turn t = { .now = now, .note = "", .holder = NOBODY };
    return aggregate_carry(a, &t, e);
}

/* A longer one could not be read from the trace. */
static int check_length(const struct spec *spec, struct err *e)
{
    static const size_t room = sizeof ((struct trace_event *)0)->note;
    int n = snprintf(NULL, 0, "policy %s", spec->text);
    return (size_t)n < room ? 0 : err_set(e, ERR_USAGE, "'%.20s...': more than %zu bytes", spec->text, room - 8);
}

int aggregate_set_policy(struct aggregate *a, double now, const struct spec *policy, const struct policy_run *run,
                         struct err *e)
{
    if (check_length(policy, e) < 0 || policy_change(a->policy, now, policy, run, &a->acts, e) < 0)
        return -1;
    a->policy_text = policy->text;
    tell(a, now, TRACE_NA, "policy ", policy->text);
    return carry(a, now, e);
}

int aggregate_set_step(struct aggregate *a, double now, const struct spec *step, struct err *e)
{
    if (check_length(step, e) < 0 || correct_set_step(a->sum.correct, step, a->versions != NULL, e) < 0)
        return -1;
    a->conf.step = step;
    a->step = (const struct step_ops *)step->plug;
    a->step_text = step->text;
    tell(a, now, TRACE_NA, "step ", step->text);
    return 0;
}

int aggregate_combine(struct aggregate *a, double now, struct err *e)
{
    if (policy_fire(a->policy, now, &a->acts, e) < 0)
        return -1;
    tell(a, now, TRACE_NA, "combine", "");
    return carry(a, now, e);
}

int aggregate_drain(struct aggregate *a, double now, uint64_t worker, struct err *e)
{
    if (policy_drain(a->policy, now, worker, &a->acts, e) < 0)
        return -1;
    tell(a, now, worker, "drain", "");
    return carry(a, now, e);
}
