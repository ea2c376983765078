/* Log-normal delay: the logarithm of the seconds is normal. */
#include <math.h>

#include "base/solve.h"
#include "base/special.h"
#include "delay/delay.h"
#include "delay/durations.h"

#define HALF_LOG_2PI 0.91893853320467274178

struct conf {
    double mu, sigma; /* of log seconds */
};

static double sample(const void *conf, struct rng *r)
{
    const struct conf *c = conf;
    return exp(c->mu + c->sigma * rng_normal(r));
}

static double standard(const struct conf *c, double x)
{
    return (log(x) - c->mu) / c->sigma;
}

static double cdf(const void *conf, double x)
{
    return x > 0 ? exp(log_normal_tail(-standard(conf, x))) : 0;
}

static double logtail(const void *conf, double x)
{
    return x > 0 ? log_normal_tail(standard(conf, x)) : 0;
}

static double quantile(const void *conf, double p, double q)
{
    const struct conf *c = conf;
    return exp(c->mu + c->sigma * normal_quantile(p, q));
}

static double mean(const void *conf)
{
    const struct conf *c = conf;
    return exp(c->mu + c->sigma * c->sigma / 2);
}

static double logpdf(const void *conf, double x)
{
    const struct conf *c = conf;
    if (!(x > 0))
        return -INFINITY;
    double z = standard(c, x);
    return -z * z / 2 - HALF_LOG_2PI - log(c->sigma) - log(x);
}

/* What the likelihood needs of the logarithms of the completed durations. */
struct sums {
    const struct durations *d;
    double n, mean, variance;
};

/* x: mu and log sigma. */
static double unlikely(const void *state, const double *x)
{
    const struct sums *s = state;
    struct conf c = { x[0], exp(x[1]) };
    double off = s->mean - c.mu;
    double likely = -s->n * (x[1] + (s->variance + off * off) / (2 * c.sigma * c.sigma));
    for (size_t i = 0; i < s->d->n; i++)
        if (s->d->v[i].censored)
            likely += logtail(&c, s->d->v[i].seconds);
    return -likely;
}

static void sum_up(struct sums *s)
{
    s->n = (double)durations_completed(s->d);
    for (size_t i = 0; i < s->d->n; i++)
        if (!s->d->v[i].censored)
            s->mean += log(s->d->v[i].seconds) / s->n;
    for (size_t i = 0; i < s->d->n; i++)
        if (!s->d->v[i].censored)
            s->variance += pow(log(s->d->v[i].seconds) - s->mean, 2) / s->n;
}

static int fit(void *conf, const struct durations *d, struct err *e)
{
    struct conf *c = conf;
    struct sums s = { .d = d };
    if (!(durations_least(d) > 0))
        return err_set(e, ERR_DATA, "a duration is 0");
    sum_up(&s);
    if (!(s.variance > 0))
        return err_set(e, ERR_DATA, "all durations are alike");
    double x[] = { s.mean, log(s.variance) / 2 };
    if (s.n < (double)d->n)
        minimise(unlikely, &s, 2, x, 0.3, FIT_CLOSE, FIT_TURNS);
    c->mu = x[0];
    c->sigma = exp(x[1]);
    return 0;
}

static const struct param params[] = {
    { "mu", set_real, offsetof(struct conf, mu), NULL, "mean of the logarithm of the seconds" },
    { "sigma", set_positive, offsetof(struct conf, sigma), NULL, "its standard deviation" },
    { 0 },
};

const struct delay_ops delay_lognormal = {
    .plug = { .name = "lognormal",
              .help = "log-normal",
              .params = params,
              .conf = sizeof(struct conf) },
    .sample = sample,
    .cdf = cdf,
    .logtail = logtail,
    .quantile = quantile,
    .mean = mean,
    .logpdf = logpdf,
    .fit = fit,
};
