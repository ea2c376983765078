/* What people asked of a recorded run while it went on. */
#include "run/simulate/replay_told.h"

#include <string.h>

static int set_rules(struct told_rules *t, struct train_conf *c, struct aggregate *a, const struct trace_event *ev,
                     struct err *e)
{
    static const struct policy_run as_recorded = { 0 }; /* K of AdaSync has lines of its own */
    struct spec policy, step;
    if (told_parse(ev->note, &policy, &step, e) < 0)
        return -1;
    return policy.plug != NULL ? told_policy(t, c, a, ev->time, &policy, &as_recorded, e)
                               : told_step(t, c, a, ev->time, &step, e);
}

int replay_told(struct told_rules *t, struct train_conf *c, struct aggregate *a, const struct trace_event *ev, struct err *e)
{
    int rc = 0;
    if (told_is(ev->note))
        rc = set_rules(t, c, a, ev, e);
    else if (strcmp(ev->note, "combine") == 0)
        rc = aggregate_combine(a, ev->time, e);
    else if (strcmp(ev->note, "drain") == 0 && ev->worker != TRACE_NA)
        rc = aggregate_drain(a, ev->time, ev->worker, e);
    else
        return 0;
    return rc < 0 ? -1 : 1;
}

bool replay_told_nothing(const struct trace_event *ev)
{
    return strcmp(ev->note, "pause") == 0 || strcmp(ev->note, "go on") == 0;
}
