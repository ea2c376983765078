/* Exponential delay: memoryless. */
#include <math.h>

#include "delay/delay.h"
#include "delay/durations.h"

struct conf {
    double mean; /* seconds */
};

static double mean(const void *conf)
{
    return ((const struct conf *)conf)->mean;
}

static double sample(const void *conf, struct rng *r)
{
    return -mean(conf) * log(rng_uniform(r));
}

static double cdf(const void *conf, double x)
{
    return x > 0 ? -expm1(-x / mean(conf)) : 0;
}

static double logtail(const void *conf, double x)
{
    return x > 0 ? -x / mean(conf) : 0;
}

static double quantile(const void *conf, double p, double q)
{
    return -mean(conf) * (p < q ? log1p(-p) : log(q));
}

static double logpdf(const void *conf, double x)
{
    return x < 0 ? -INFINITY : -x / mean(conf) - log(mean(conf));
}

static unsigned ageing(const void *conf)
{
    (void)conf;
    return DELAY_NLU | DELAY_NSU;
}

/* All time that passed, over what was completed in it. */
static int fit(void *conf, const struct durations *d, struct err *e)
{
    double sum = 0;
    for (size_t i = 0; i < d->n; i++)
        sum += d->v[i].seconds;
    if (sum == 0)
        return err_set(e, ERR_DATA, "all durations are 0");
    ((struct conf *)conf)->mean = sum / (double)durations_completed(d);
    return 0;
}

static const struct param params[] = {
    { "mean", set_period, offsetof(struct conf, mean), NULL, "mean" },
    { 0 },
};

const struct delay_ops delay_exp = {
    .plug = { .name = "exp", .help = "exponential", .params = params, .conf = sizeof(struct conf) },
    .sample = sample,
    .cdf = cdf,
    .logtail = logtail,
    .quantile = quantile,
    .mean = mean,
    .logpdf = logpdf,
    .ageing = ageing,
    .fit = fit,
};
