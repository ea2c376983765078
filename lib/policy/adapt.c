/* AdaSync: K grows as the loss falls (THEORY 5; Dutta, Wang, Joshi, JSAIT 2021). */
#include <math.h>

#include "policy/machine.h"

void adapt_loss(struct policy *p, double loss)
{
    p->loss_sum += loss;
    p->n_loss++;
}

/* The loss of the interval as a part of the first interval's, in (0, 1]; 0 when that says nothing. */
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

int adapt_update(struct policy *p, double now, struct acts *a, struct err *e)
{
    const struct adapt *ad = p->knobs.adapt;
    if (ad == NULL || p->run.choose == NULL || now < p->due)
        return 0;
    double ratio = fallen(p, p->loss_sum / (double)p->n_loss - ad->floor);
    p->due = (floor(now / ad->every) + 1) * ad->every;
    p->loss_sum = 0;
    p->n_loss = 0;
    if (ratio == 0)
        return 0;
    uint64_t k = p->run.choose(p->run.self, ad, p->run.workers, ratio);
    uint64_t most = ad->k_max > 0 ? ad->k_max : p->run.workers;
    k = k < 1 ? 1 : k > most ? most : k;
    if (k == p->knobs.combine)
        return 0;
    p->knobs.combine = k;
    return act(a, (struct act){ .kind = ACT_SET, .count = k, .version = p->version }, e);
}
