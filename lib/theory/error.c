/* What error can be reached, and after how many updates. */
#include "theory/error.h"

#include <math.h>

double error_contraction(const struct objective *o, const struct updates *u)
{
    return u->stale ? 1 - o->gamma + o->p0 / 2 : 1;
}

double error_ceiling(const struct objective *o, const struct updates *u)
{
    double decay = 1 / (o->c * error_contraction(o, u));
    return fmin(decay, 1 / (2 * o->L * (o->m_g / (u->k * o->m) + 1)));
}

double error_floor(const struct objective *o, const struct updates *u)
{
    return u->eta * o->L * o->sigma2 / (2 * o->c * error_contraction(o, u) * u->k * o->m);
}

double error_bound(const struct objective *o, const struct updates *u, double count)
{
    double floor = error_floor(o, u);
    double left = exp(count * log1p(-u->eta * o->c * error_contraction(o, u)));
    return floor + left * (o->gap - floor);
}

double error_updates(const struct objective *o, const struct updates *u, double target)
{
    double floor = error_floor(o, u);
    if (o->gap <= target)
        return 0;
    if (!(target > floor))
        return INFINITY;
    return log((o->gap - floor) / (target - floor)) /
           -log1p(-u->eta * o->c * error_contraction(o, u));
}

double error_gradient(const struct objective *o, const struct updates *u, double count)
{
    double contraction = error_contraction(o, u);
    return 2 * o->gap / ((count + 1) * u->eta * contraction) +
           o->L * u->eta * o->sigma2 / (u->k * o->m * contraction);
}

double error_variable_floor(const struct objective *o, double eta, double C)
{
    double noise = eta * eta * o->L * o->sigma2 / (2 * o->m);
    return (C * o->L * o->L / 2 + noise) / (eta * o->c * (1 + o->p0 / 2));
}

double error_quadratic_floor(const double *a, size_t n, double eta, double v)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += eta * v / (2 * (2 - eta * a[i]));
    return sum;
}

double error_p0(const struct delays *d)
{
    for (size_t i = 0; i < d->laws; i++)
        if (!(delay_ageing(&d->law[i].law) & DELAY_NSU))
            return 0;
    return 1 / (double)d->workers;
}
