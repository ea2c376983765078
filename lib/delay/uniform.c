/* Uniform delay between two ends. */
#include <math.h>

#include "base/solve.h"
#include "delay/delay.h"
#include "delay/durations.h"

struct conf {
    double min, max; /* seconds */
};

static int check(void *conf, struct err *e)
{
    const struct conf *c = conf;
    if (c->min <= c->max)
        return 0;
    return err_set(e, ERR_USAGE, "min=%gs is greater than max=%gs", c->min, c->max);
}

static double sample(const void *conf, struct rng *r)
{
    const struct conf *c = conf;
    return c->min + (c->max - c->min) * rng_uniform(r);
}

static double cdf(const void *conf, double x)
{
    const struct conf *c = conf;
    return x < c->min ? 0 : x >= c->max ? 1 : (x - c->min) / (c->max - c->min);
}

static double logtail(const void *conf, double x)
{
    const struct conf *c = conf;
    return x < c->min ? 0 : x >= c->max ? -INFINITY : log((c->max - x) / (c->max - c->min));
}

static double quantile(const void *conf, double p, double q)
{
    const struct conf *c = conf;
    return p < q ? c->min + (c->max - c->min) * p : c->max - (c->max - c->min) * q;
}

static double mean(const void *conf)
{
    const struct conf *c = conf;
    return c->min + (c->max - c->min) / 2;
}

static double logpdf(const void *conf, double x)
{
    const struct conf *c = conf;
    return x < c->min || x > c->max ? -INFINITY : -log(c->max - c->min);
}

static unsigned ageing(const void *conf)
{
    (void)conf;
    return DELAY_NLU;
}

struct end {
    const struct durations *d;
    double min, greatest;
};

/* The derivative of the likelihood by max, times (min - max): rises with max = greatest + e^x. */
static double slope(const void *state, double x)
{
    const struct end *s = state;
    double max = s->greatest + exp(x), slope = 0;
    for (size_t i = 0; i < s->d->n; i++) {
        double seconds = s->d->v[i].seconds;
        bool cut = s->d->v[i].censored;
        if (!cut || seconds > s->min)
            slope += cut ? 1 - (max - s->min) / (max - seconds) : 1;
    }
    return slope;
}

/* The narrower the likelier, but what was censored wants room behind it. */
static int fit(void *conf, const struct durations *d, struct err *e)
{
    struct conf *c = conf;
    struct end s = { d, durations_least(d), durations_greatest(d) };
    double least_step = log((s.greatest - s.min) * 1e-12);
    if (!(s.greatest > s.min))
        return err_set(e, ERR_DATA, "all durations are alike");
    c->min = s.min;
    c->max = s.greatest;
    if (slope(&s, least_step) < 0)
        c->max += exp(root_near(slope, &s, least_step));
    return isfinite(c->max) ? 0 : err_set(e, ERR_DATA, "too few were completed");
}

static const struct param params[] = {
    { "min", set_duration, offsetof(struct conf, min), NULL, "the least delay" },
    { "max", set_duration, offsetof(struct conf, max), NULL, "the greatest delay" },
    { 0 },
};

const struct delay_ops delay_uniform = {
    .plug = { .name = "uniform",
              .help = "uniform between min and max",
              .params = params,
              .conf = sizeof(struct conf),
              .check = check },
    .sample = sample,
    .cdf = cdf,
    .logtail = logtail,
    .quantile = quantile,
    .mean = mean,
    .logpdf = logpdf,
    .ageing = ageing,
    .fit = fit,
};
