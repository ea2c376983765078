/* Shifted exponential delay: a fixed part and an exponential one. */
#include <math.h>

#include "delay/delay.h"
#include "delay/durations.h"

struct conf {
    double shift, mean; /* seconds; mean of the exponential part alone */
};

static double sample(const void *conf, struct rng *r)
{
    const struct conf *c = conf;
    return c->shift - c->mean * log(rng_uniform(r));
}

static double cdf(const void *conf, double x)
{
    const struct conf *c = conf;
    return x > c->shift ? -expm1(-(x - c->shift) / c->mean) : 0;
}

static double logtail(const void *conf, double x)
{
    const struct conf *c = conf;
    return x > c->shift ? -(x - c->shift) / c->mean : 0;
}

static double quantile(const void *conf, double p, double q)
{
    const struct conf *c = conf;
    return c->shift - c->mean * (p < q ? log1p(-p) : log(q));
}

static double mean(const void *conf)
{
    const struct conf *c = conf;
    return c->shift + c->mean;
}

static double logpdf(const void *conf, double x)
{
    const struct conf *c = conf;
    return x < c->shift ? -INFINITY : -(x - c->shift) / c->mean - log(c->mean);
}

static unsigned ageing(const void *conf)
{
    return DELAY_NLU | (((const struct conf *)conf)->shift == 0 ? DELAY_NSU : 0);
}

/* The greater the shift, the likelier, up to the least that was completed. */
static int fit(void *conf, const struct durations *d, struct err *e)
{
    struct conf *c = conf;
    double beyond = 0;
    c->shift = durations_least(d);
    for (size_t i = 0; i < d->n; i++)
        beyond += fmax(d->v[i].seconds - c->shift, 0);
    c->mean = beyond / (double)durations_completed(d);
    return c->mean > 0 ? 0 : err_set(e, ERR_DATA, "all durations are alike");
}

static const struct param params[] = {
    { "shift", set_duration, offsetof(struct conf, shift), NULL, "fixed part" },
    { "mean", set_period, offsetof(struct conf, mean), NULL, "mean of the exponential part" },
    { 0 },
};

const struct delay_ops delay_shifted_exp = {
    .plug = { .name = "shifted-exp",
              .help = "shift plus an exponential",
              .params = params,
              .conf = sizeof(struct conf) },
    .sample = sample,
    .cdf = cdf,
    .logtail = logtail,
    .quantile = quantile,
    .mean = mean,
    .logpdf = logpdf,
    .ageing = ageing,
    .fit = fit,
};
