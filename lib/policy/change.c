/* What people ask for while a run goes on: other rules, an update now, a worker less. */
#include <math.h>

#include "policy/machine.h"

uint64_t policy_combined(const struct policy *p)
{
    return p->n_share;
}

/* AdaSync begins anew, with the interval after this one. */
static void follow_anew(struct policy *p, double now)
{
    const struct adapt *ad = p->knobs.adapt;
    p->due = ad != NULL && !ad->full ? (floor(now / ad->every) + 1) * ad->every : 0;
    p->loss_sum = p->first = 0;
    p->n_loss = 0;
    p->told = false;
}

/* Those that an old bound held back. */
static int let_go(struct policy *p, struct acts *a, struct err *e)
{
    for (uint64_t w = 0; w < p->run.workers; w++) {
        bool waits = p->member[w].waits;
        p->member[w].waits = false;
        if (waits && grant(p, w, a, e) < 0)
            return -1;
    }
    return 0;
}

int policy_change(struct policy *p, double now, const struct spec *spec, const struct policy_run *run, struct acts *a,
                  struct err *e)
{
    struct knobs knobs = { .ahead = NO_BOUND, .age = NO_BOUND };
    ((const struct policy_ops *)spec->plug)->knobs(spec->conf, p->run.workers, &knobs);
    a->n = 0;
    if (knobs.distinct && knobs.combine > p->run.workers)
        return err_set(e, ERR_USAGE, "K=%ju with %ju workers", (uintmax_t)knobs.combine, (uintmax_t)p->run.workers);
    if (knobs.distinct != p->knobs.distinct && p->n_share > 0)
        return err_set(e, ERR_USAGE, "gradients are combined already");
    p->knobs = knobs;
    p->run.choose = run->choose;
    p->run.self = run->self;
    follow_anew(p, now);
    bounds_restart(p);
    return let_go(p, a, e) < 0 ? -1 : bounds_age(p, a, e);
}

int policy_fire(struct policy *p, double now, struct acts *a, struct err *e)
{
    a->n = 0;
    return p->n_share == 0 ? 0 : fire(p, now, false, a, e);
}

int policy_drain(struct policy *p, double now, uint64_t worker, struct acts *a, struct err *e)
{
    struct member *m = &p->member[worker];
    a->n = 0;
    if (m->done || (m->here && m->budget == m->next))
        return err_set(e, ERR_USAGE, "worker %ju has left, or is about to", (uintmax_t)worker);
    count(p, m, false);
    m->budget = m->next;
    m->done = !m->here;
    count(p, m, true);
    if (m->waits) {
        m->waits = false;
        return grant(p, worker, a, e) < 0 ? -1 : bounds_release(p, a, e);
    }
    return settle(p, now, a, e);
}
