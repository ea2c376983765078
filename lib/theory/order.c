/* E[X_{K:P}]: closed forms where they are stable, else the integral over quantiles (THEORY 2.3). */
#include "theory/order.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/special.h"
#include "delay/empirical.h"
#include "theory/mixed.h"

const char *const method_names[] = { "exact", "numeric", "bound", "simulated" };

enum { CLOSED_SUM = 4096, HALVINGS = 6 };

/* D + (H_P - H_{P-K}) / mu; the exponential has no D. */
static double of_shifted(const struct spec *law, double p, double k)
{
    double shift = delay_is(law, "exp") ? 0 : delay_param(law, "shift");
    return shift + delay_param(law, "mean") * harmonic(p - k, p);
}

/* x_m G(P+1) G(P-K+1-1/a) / (G(P-K+1) G(P+1-1/a)), G = gamma; infinite if (P-K+1) a <= 1. */
static double of_pareto(const struct spec *law, double p, double k)
{
    double scale = delay_param(law, "scale"), part = 1 / delay_param(law, "shape");
    if (p - k + 1 <= part)
        return INFINITY;
    return scale *
           exp(log_gamma_ratio(p + 1 - part, part) - log_gamma_ratio(p - k + 1 - part, part));
}

static double of_uniform(const struct spec *law, double p, double k)
{
    double min = delay_param(law, "min"), max = delay_param(law, "max");
    return min + (max - min) * (k / (p + 1));
}

static double of_const(const struct spec *law, double p, double k)
{
    (void)p, (void)k;
    return delay_param(law, "value");
}

/* sum of x_(i) (I_{F_i}(K, P-K+1) - I_{F_{i-1}}(K, P-K+1)). */
static double of_empirical(const struct spec *law, double p, double k)
{
    const struct steps *s = empirical_steps(law);
    double sum = 0, before = 0;
    for (size_t i = 0; i < s->n; i++) {
        double at = beta_i(k, p - k + 1, s->cdf[i], 1 - s->cdf[i]);
        sum += s->x[i] * (at - before);
        before = at;
    }
    return sum;
}

static const struct closed {
    const char *family;
    double (*mean)(const struct spec *law, double p, double k);
} closed[] = {
    { "const", of_const },        { "exp", of_shifted },     { "shifted-exp", of_shifted },
    { "pareto", of_pareto },      { "uniform", of_uniform }, { "empirical", of_empirical },
    { "recorded", of_empirical },
};

static const struct closed *closed_form(const struct spec *law)
{
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
        if (delay_is(law, closed[i].family))
            return &closed[i];
    return NULL;
}

/* In z = log(u / (1 - u)) both the density of the K-th of P uniform values and the quantiles are
 * analytic, and the trapezoidal rule converges faster than any power of its step. The same nodes
 * give the integral of the density, which need not be known then. */
struct quantiles {
    const struct spec *law;
    double p, k, m; /* m = P - K + 1 */
    double peak;    /* log density less constants at its mode */
    bool sum;       /* of the first K order statistics */
};

/* Log density of the K-th, u^K (1-u)^(P-K+1) dz; or the sum of the first K, P I_{1-u}(P-K, K) u (1-u) dz. */
static double log_weight(const struct quantiles *g, double z)
{
    double log_u = -log1p_exp(-z), log_q = -log1p_exp(z);
    if (!g->sum)
        return g->k * log_u + g->m * log_q - g->peak;
    double before = beta_i(g->m - 1, g->k, exp(log_q), exp(log_u));
    return log(before) + log_u + log_q;
}

struct total {
    double weight, weighed;
};

/* One node; whether the ones beyond may still matter. */
static bool node(const struct quantiles *g, double z, struct total *t)
{
    enum { FAR = 60, FARTHEST = 700 };
    double log_w = log_weight(g, z), w = exp(log_w);
    double x = delay_quantile(g->law, exp(-log1p_exp(-z)), exp(-log1p_exp(z)));
    double more = w > 0 ? w * x : 0;
    t->weight += w;
    t->weighed += more;
    return fabs(z) < FARTHEST && (log_w > -FAR || more > 1e-18 * t->weighed);
}

/* All nodes middle + (i + offset) step. */
static struct total row(const struct quantiles *g, double middle, double step, double offset)
{
    struct total t = { 0, 0 };
    for (double i = offset; node(g, middle + i * step, &t); i++)
        ;
    for (double i = offset - 1; node(g, middle + i * step, &t); i--)
        ;
    return t;
}

/* NAN when halving the step does not settle it: the quantiles bend too sharply. */
static double by_quantiles(struct quantiles *g)
{
    double middle = log(g->k / g->m), deviation = sqrt((g->p + 1) / (g->k * g->m));
    double step = fmin(0.25, deviation / 3), last = NAN;
    g->peak = 0;
    g->peak = g->sum ? 0 : log_weight(g, middle);
    struct total t = row(g, middle, step, 0);
    for (int i = 0; i < HALVINGS; i++, step /= 2) {
        double now = g->sum ? g->p * step * t.weighed : t.weighed / t.weight;
        if (fabs(now - last) <= 1e-12 * fabs(now))
            return now;
        last = now;
        struct total between = row(g, middle, step, 0.5);
        t.weight += between.weight;
        t.weighed += between.weighed;
    }
    return NAN;
}

static int numeric(struct value *v, const struct delays *d, uint64_t k, bool sum, struct err *e)
{
    struct quantiles g = { .law = &d->law[0].law,
                           .p = (double)d->workers,
                           .k = (double)k,
                           .m = (double)(d->workers - k + 1),
                           .sum = sum };
    v->method = METHOD_NUMERIC;
    v->mean = d->laws == 1 ? by_quantiles(&g) : NAN;
    return isnan(v->mean) ? mixed_mean(&v->mean, d, k, sum, e) : 0;
}

/* 1 when the answer is known to be infinite; 0; -1 and e. */
static int infinite(struct value *v, const struct delays *d, uint64_t k, struct err *e)
{
    double index;
    if (mixed_tail_index(&index, d, k, e) < 0)
        return -1;
    *v = (struct value){ INFINITY, METHOD_EXACT };
    return index <= 1;
}

int order_mean(struct value *v, const struct delays *d, uint64_t k, struct err *e)
{
    int got = infinite(v, d, k, e);
    if (got != 0)
        return got < 0 ? -1 : 0;
    const struct closed *form = d->laws == 1 ? closed_form(&d->law[0].law) : NULL;
    *v = (struct value){ NAN, METHOD_EXACT };
    if (d->workers == 1)
        v->mean = delay_mean(&d->law[0].law);
    else if (form)
        v->mean = form->mean(&d->law[0].law, (double)d->workers, (double)k);
    else
        return numeric(v, d, k, false, e);
    return 0;
}

/* All of them together take P E[X], whoever is first. */
static double whole_sum(const struct delays *d)
{
    double sum = 0;
    for (size_t i = 0; i < d->laws; i++)
        sum += (double)d->law[i].workers * delay_mean(&d->law[i].law);
    return sum;
}

int order_sum(struct value *v, const struct delays *d, uint64_t k, struct err *e)
{
    int got = infinite(v, d, k, e);
    if (got != 0)
        return got < 0 ? -1 : 0;
    const struct closed *form = d->laws == 1 ? closed_form(&d->law[0].law) : NULL;
    *v = (struct value){ 0, METHOD_EXACT };
    if (k == d->workers)
        v->mean = whole_sum(d);
    else if (form && k <= CLOSED_SUM)
        for (uint64_t i = k; i > 0; i--)
            v->mean += form->mean(&d->law[0].law, (double)d->workers, (double)i);
    else
        return numeric(v, d, k, true, e);
    return 0;
}
