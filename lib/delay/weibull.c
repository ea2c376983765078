/* Weibull delay: P(X > x) = exp(-(x / scale)^shape); shape < 1 has the heavier tail. */
#include <math.h>

#include "base/solve.h"
#include "delay/delay.h"
#include "delay/durations.h"

struct conf {
    double scale; /* seconds */
    double shape;
};

static double sample(const void *conf, struct rng *r)
{
    const struct conf *c = conf;
    return c->scale * pow(-log(rng_uniform(r)), 1 / c->shape);
}

static double logtail(const void *conf, double x)
{
    const struct conf *c = conf;
    return x > 0 ? -pow(x / c->scale, c->shape) : 0;
}

static double cdf(const void *conf, double x)
{
    return -expm1(logtail(conf, x));
}

static double quantile(const void *conf, double p, double q)
{
    const struct conf *c = conf;
    return c->scale * pow(-(p < q ? log1p(-p) : log(q)), 1 / c->shape);
}

static double mean(const void *conf)
{
    const struct conf *c = conf;
    return c->scale * tgamma(1 + 1 / c->shape);
}

/* At 0 the density is infinite for shapes below 1. */
static double logpdf(const void *conf, double x)
{
    const struct conf *c = conf;
    if (x < 0)
        return -INFINITY;
    double power = c->shape == 1 ? 0 : (c->shape - 1) * log(x / c->scale);
    return log(c->shape / c->scale) + power - pow(x / c->scale, c->shape);
}

static unsigned ageing(const void *conf)
{
    double shape = ((const struct conf *)conf)->shape;
    return (shape >= 1 ? DELAY_NLU : 0) | (shape <= 1 ? DELAY_NSU : 0);
}

/* Sums over all durations y = x / greatest. */
struct powers {
    const struct durations *d;
    double greatest, log_mean; /* the mean of log y over the completed */
};

/* The derivative of the likelihood with the best scale for this shape, up to sign: rises. */
static double slope(const void *state, double log_shape)
{
    const struct powers *p = state;
    double shape = exp(log_shape), sum = 0, weighted = 0;
    for (size_t i = 0; i < p->d->n; i++) {
        double y = p->d->v[i].seconds / p->greatest;
        double power = y > 0 ? pow(y, shape) : 0;
        sum += power;
        weighted += power > 0 ? power * log(y) : 0;
    }
    return weighted / sum - 1 / shape - p->log_mean;
}

static int fit(void *conf, const struct durations *d, struct err *e)
{
    struct conf *c = conf;
    if (!(durations_least(d) > 0))
        return err_set(e, ERR_DATA, "a duration is 0");
    double n = (double)durations_completed(d), sum = 0;
    struct powers p = { .d = d, .greatest = durations_greatest(d) };
    for (size_t i = 0; i < d->n; i++)
        if (!d->v[i].censored)
            p.log_mean += log(d->v[i].seconds / p.greatest) / n;
    c->shape = exp(root_near(slope, &p, 0));
    for (size_t i = 0; i < d->n; i++)
        sum += pow(d->v[i].seconds / p.greatest, c->shape);
    c->scale = p.greatest * pow(sum / n, 1 / c->shape);
    if (isfinite(c->shape) && isfinite(c->scale) && c->scale > 0)
        return 0;
    return err_set(e, ERR_DATA, "all durations are alike");
}

static const struct param params[] = {
    { "scale", set_period, offsetof(struct conf, scale), NULL, "where 63 % are below" },
    { "shape", set_positive, offsetof(struct conf, shape), NULL,
      "1 is exponential, smaller is heavier" },
    { 0 },
};

const struct delay_ops delay_weibull = {
    .plug = { .name = "weibull", .help = "Weibull", .params = params, .conf = sizeof(struct conf) },
    .sample = sample,
    .cdf = cdf,
    .logtail = logtail,
    .quantile = quantile,
    .mean = mean,
    .logpdf = logpdf,
    .ageing = ageing,
    .fit = fit,
};
