/* Always the same delay. */
#include <math.h>

#include "delay/delay.h"
#include "delay/durations.h"

struct conf {
    double value; /* seconds */
};

static double value(const void *conf)
{
    return ((const struct conf *)conf)->value;
}

static double sample(const void *conf, struct rng *r)
{
    (void)r;
    return value(conf);
}

static double cdf(const void *conf, double x)
{
    return x >= value(conf);
}

static double logtail(const void *conf, double x)
{
    return x < value(conf) ? 0 : -INFINITY;
}

static double quantile(const void *conf, double p, double q)
{
    (void)p, (void)q;
    return value(conf);
}

/* All probability is in one place. */
static double logpdf(const void *conf, double x)
{
    return x == value(conf) ? INFINITY : -INFINITY;
}

static unsigned ageing(const void *conf)
{
    (void)conf;
    return DELAY_NLU;
}

static int fit(void *conf, const struct durations *d, struct err *e)
{
    double least = durations_least(d), greatest = durations_greatest(d);
    if (least != greatest)
        return err_set(e, ERR_DATA, "from %gs to %gs: not always the same", least, greatest);
    ((struct conf *)conf)->value = least;
    return 0;
}

static const struct param params[] = {
    { "value", set_duration, offsetof(struct conf, value), NULL, "the delay" },
    { 0 },
};

const struct delay_ops delay_constant = {
    .plug = { .name = "const",
              .help = "always the same",
              .params = params,
              .conf = sizeof(struct conf) },
    .sample = sample,
    .cdf = cdf,
    .logtail = logtail,
    .quantile = quantile,
    .mean = value,
    .logpdf = logpdf,
    .ageing = ageing,
    .fit = fit,
};
