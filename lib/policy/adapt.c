/* AdaSync: K follows the loss (THEORY 5; Dutta, Wang, Joshi, JSAIT 2021). */
#include <math.h>

#include "policy/machine.h"

static bool adapts(const struct policy *p)
{
    return p->knobs.adapt != NULL && p->run.choose != NULL;
}

/* It is time: the next one is after the next multiple of the interval. */
static bool due(struct policy *p, double now)
{
    if (now < p->due)
        return false;
    p->due = (floor(now / p->knobs.adapt->every) + 1) * p->knobs.adapt->every;
    return true;
}

/* The loss as a part of the first one, in (0, 1]; 0 when that says nothing. */
static double fallen(struct policy *p, double loss)
{
    if (!isfinite(loss) || p->first < 0)
        return 0;
    if (p->first == 0) {
        p->first = loss > 0 ? loss : -1; /* a first loss at or below the floor: K stays for good */
        return 0;
    }
    double ratio = loss / p->first;
    return ratio > 1 ? 1 : ratio > 1e-9 ? ratio : 1e-9;
}

static int set(struct policy *p, uint64_t k, double loss, struct acts *a, struct err *e)
{
    if (k == p->knobs.combine)
        return 0;
    uint64_t before = policy_combine(p);
    p->knobs.combine = k;
    return act(a,
               (struct act){ .kind = ACT_SET,
                             .count = k,
                             .before = before,
                             .version = p->version,
                             .loss = loss },
               e);
}

static int follow(struct policy *p, double loss, struct acts *a, struct err *e)
{
    const struct adapt *ad = p->knobs.adapt;
    double ratio = fallen(p, loss - ad->floor);
    if (ratio == 0)
        return 0;
    uint64_t k = p->run.choose(p->run.self, ad, p->run.workers, ratio);
    uint64_t most = ad->k_max > 0 ? ad->k_max : p->run.workers;
    return set(p, k < 1 ? 1 : k > most ? most : k, loss, a, e);
}

static int follow_told(struct policy *p, struct acts *a, struct err *e)
{
    if (!p->told)
        return 0;
    p->told = false;
    return follow(p, p->told_loss, a, e);
}

void adapt_loss(struct policy *p, double loss)
{
    p->loss_sum += loss;
    p->n_loss++;
}

int adapt_update(struct policy *p, double now, struct acts *a, struct err *e)
{
    if (!adapts(p))
        return 0;
    if (p->knobs.adapt->full)
        return follow_told(p, a, e);
    if (!due(p, now))
        return 0;
    double loss = p->loss_sum / (double)p->n_loss;
    p->loss_sum = 0;
    p->n_loss = 0;
    return follow(p, loss, a, e);
}

bool policy_wants_loss(struct policy *p, double now)
{
    return adapts(p) && p->knobs.adapt->full && due(p, now);
}

int policy_loss(struct policy *p, double now, double loss, struct acts *a, struct err *e)
{
    (void)now;
    a->n = 0;
    p->told = true;
    p->told_loss = loss;
    return p->n_share > 0 ? 0 : follow_told(p, a, e);
}

int policy_set(struct policy *p, double now, uint64_t k, double loss, struct acts *a, struct err *e)
{
    (void)now;
    a->n = 0;
    return set(p, k, loss, a, e);
}
