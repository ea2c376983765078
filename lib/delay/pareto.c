/* Pareto delay: P(X > x) = (scale / x)^shape from scale on; no finite mean for shape <= 1. */
#include <math.h>

#include "delay/delay.h"
#include "delay/durations.h"

struct conf {
    double scale; /* seconds: the least delay */
    double shape;
};

static double sample(const void *conf, struct rng *r)
{
    const struct conf *c = conf;
    return c->scale * pow(rng_uniform(r), -1 / c->shape);
}

static double logtail(const void *conf, double x)
{
    const struct conf *c = conf;
    return x > c->scale ? c->shape * log(c->scale / x) : 0;
}

static double cdf(const void *conf, double x)
{
    return -expm1(logtail(conf, x));
}

static double quantile(const void *conf, double p, double q)
{
    const struct conf *c = conf;
    return c->scale * exp((p < q ? log1p(-p) : log(q)) / -c->shape);
}

static double mean(const void *conf)
{
    const struct conf *c = conf;
    return c->shape > 1 ? c->scale * c->shape / (c->shape - 1) : INFINITY;
}

static double logpdf(const void *conf, double x)
{
    const struct conf *c = conf;
    return x < c->scale ? -INFINITY : log(c->shape / x) + c->shape * log(c->scale / x);
}

static double tail_index(const void *conf)
{
    return ((const struct conf *)conf)->shape;
}

/* The greater the scale, the likelier, up to the least that was completed. */
static int fit(void *conf, const struct durations *d, struct err *e)
{
    struct conf *c = conf;
    double beyond = 0;
    c->scale = durations_least(d);
    if (!(c->scale > 0))
        return err_set(e, ERR_DATA, "a duration is 0");
    for (size_t i = 0; i < d->n; i++)
        beyond += fmax(log(d->v[i].seconds / c->scale), 0);
    c->shape = (double)durations_completed(d) / beyond;
    return isfinite(c->shape) ? 0 : err_set(e, ERR_DATA, "all durations are alike");
}

static const struct param params[] = {
    { "scale", set_period, offsetof(struct conf, scale), NULL, "the least delay" },
    { "shape", set_positive, offsetof(struct conf, shape), NULL, "tail index, smaller is heavier" },
    { 0 },
};

const struct delay_ops delay_pareto = {
    .plug = { .name = "pareto",
              .help = "Pareto, a heavy tail",
              .params = params,
              .conf = sizeof(struct conf) },
    .sample = sample,
    .cdf = cdf,
    .logtail = logtail,
    .quantile = quantile,
    .mean = mean,
    .logpdf = logpdf,
    .tail_index = tail_index,
    .fit = fit,
};
