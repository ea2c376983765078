/* AdaSync: the K that theorem 5 asks for as the loss falls. */
#include "theory/adasync.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "theory/order.h"

/* One law for all, exponential with or without a shift, which drops out. */
static bool closed(const struct delays *d)
{
    return d == NULL || (d->laws == 1 && (delay_is(&d->law[0].law, "exp") ||
                                          delay_is(&d->law[0].law, "shifted-exp")));
}

/* B = K0^2 T'(K0): the geometric mean of both differences, between which K0 is the best at the start.
 * K0 = 1 has one difference alone; so has one whose next is infinite. */
static double noise(const struct adasync *a)
{
    double k = (double)a->k0;
    const double *t = a->seconds + a->k0 - 1;
    double up = k * (k + 1) * (t[1] - t[0]);
    double down = a->k0 > 1 ? k * (k - 1) * (t[0] - t[-1]) : 0;
    if (!isfinite(up))
        return down;
    return a->k0 == 1 ? up / 2 : sqrt(down * up);
}

static int measure(struct adasync *a, const struct delays *d, struct err *e)
{
    a->seconds = mem_new(a->k_max, sizeof *a->seconds, e);
    if (a->seconds == NULL)
        return -1;
    for (uint64_t k = 1; k <= a->k_max; k++) {
        struct value v;
        if (order_mean(&v, d, k, e) < 0)
            return -1;
        a->seconds[k - 1] = v.mean;
    }
    if (a->k0 < a->k_max)
        a->noise = noise(a);
    return 0;
}

int adasync_open(struct adasync *a, const char *family, uint64_t k0, uint64_t k_max,
                 uint64_t workers, const struct delays *d, struct err *e)
{
    *a = (struct adasync){ .workers = workers,
                           .k0 = k0,
                           .k_max = k_max > 0 ? k_max : workers,
                           .batch = strncmp(family, "k-batch-", 8) == 0 };
    if (!a->batch && a->k_max > workers)
        a->k_max = workers;
    if (a->batch || closed(d) || measure(a, d, e) == 0)
        return 0;
    adasync_close(a);
    return -1;
}

void adasync_close(struct adasync *a)
{
    free(a->seconds);
    *a = (struct adasync){ 0 };
}

/* Batch: K0 / sqrt(fall). Else K^2 / (P-K) = b, b = (K0^2 / (P-K0)) / fall, whose root is written
 * so that it is precise for every b; K0 = P stays P. */
double adasync_ideal(const struct adasync *a, double fall)
{
    double k0 = (double)a->k0, p = (double)a->workers;
    if (a->batch)
        return k0 / sqrt(fall);
    if (a->k0 >= a->workers)
        return p;
    double b = k0 * k0 / (p - k0) / fall;
    return 2 * p / (1 + sqrt(1 + 4 * p / b));
}

/* argmin over K of fall E[T(K)] + B / K. */
static uint64_t least(const struct adasync *a, double fall)
{
    uint64_t best = 1;
    double best_left = INFINITY;
    for (uint64_t k = 1; k <= a->k_max; k++) {
        double left = fall * a->seconds[k - 1] + a->noise / (double)k;
        if (left < best_left) {
            best_left = left;
            best = k;
        }
    }
    return best;
}

uint64_t adasync_choose(const struct adasync *a, double fall)
{
    if (isnan(fall) || a->k0 >= a->k_max)
        return a->k0 < a->k_max ? a->k0 : a->k_max;
    if (fall <= 0)
        return a->k_max;
    if (a->seconds)
        return least(a, fall);
    double k = round(adasync_ideal(a, fall));
    return k < 1 ? 1 : k > (double)a->k_max ? a->k_max : (uint64_t)k;
}
