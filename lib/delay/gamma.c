/* Gamma delay: for whole shapes the sum of so many exponential ones. */
#include <math.h>

#include "base/solve.h"
#include "base/special.h"
#include "delay/delay.h"
#include "delay/durations.h"

struct conf {
    double shape;
    double scale; /* seconds: mean / shape */
};

/* Marsaglia and Tsang (2000): the cube of a normal draw, taken or tried again; for shape >= 1/3. */
static double draw(double shape, struct rng *r)
{
    double d = shape - 1. / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double z = rng_normal(r), v = 1 + c * z;
        if (v <= 0)
            continue;
        v = v * v * v;
        if (log(rng_uniform(r)) < 0.5 * z * z + d - d * v + d * log(v))
            return d * v;
    }
}

/* A shape below 1 takes one of shape + 1, times a power. */
static double sample(const void *conf, struct rng *r)
{
    const struct conf *c = conf;
    if (c->shape >= 1)
        return c->scale * draw(c->shape, r);
    double x = draw(c->shape + 1, r);
    return c->scale * x * exp(log(rng_uniform(r)) / c->shape);
}

static double cdf(const void *conf, double x)
{
    const struct conf *c = conf;
    return exp(log_gamma_p(c->shape, x / c->scale));
}

static double logtail(const void *conf, double x)
{
    const struct conf *c = conf;
    return log_gamma_q(c->shape, x / c->scale);
}

static double quantile(const void *conf, double p, double q)
{
    const struct conf *c = conf;
    return c->scale * gamma_quantile(c->shape, p, q);
}

static double mean(const void *conf)
{
    const struct conf *c = conf;
    return c->shape * c->scale;
}

static double logpdf(const void *conf, double x)
{
    const struct conf *c = conf;
    if (x < 0)
        return -INFINITY;
    double power = c->shape == 1 ? 0 : (c->shape - 1) * log(x / c->scale);
    return power - x / c->scale - lgamma(c->shape) - log(c->scale);
}

static unsigned ageing(const void *conf)
{
    double shape = ((const struct conf *)conf)->shape;
    return (shape >= 1 ? DELAY_NLU : 0) | (shape <= 1 ? DELAY_NSU : 0);
}

/* What the likelihood needs of the completed durations. */
struct sums {
    const struct durations *d;
    double n, sum, logs;
};

/* x: logarithms of shape and mean, which hardly depend on each other. */
static double unlikely(const void *state, const double *x)
{
    const struct sums *s = state;
    double shape = exp(x[0]), scale = exp(x[1] - x[0]);
    double likely =
        (shape - 1) * s->logs - s->sum / scale - s->n * (lgamma(shape) + shape * log(scale));
    for (size_t i = 0; i < s->d->n; i++)
        if (s->d->v[i].censored)
            likely += log_gamma_q(shape, s->d->v[i].seconds / scale);
    return -likely;
}

/* Starts from the shape that Minka's formula gives for the completed. */
static int fit(void *conf, const struct durations *d, struct err *e)
{
    struct conf *c = conf;
    struct sums s = { .d = d, .n = (double)durations_completed(d) };
    if (!(durations_least(d) > 0))
        return err_set(e, ERR_DATA, "a duration is 0");
    for (size_t i = 0; i < d->n; i++)
        if (!d->v[i].censored) {
            s.sum += d->v[i].seconds;
            s.logs += log(d->v[i].seconds);
        }
    double spread = log(s.sum / s.n) - s.logs / s.n;
    if (!(spread > 1e-12))
        return err_set(e, ERR_DATA, "all durations are alike");
    double shape = (3 - spread + sqrt((spread - 3) * (spread - 3) + 24 * spread)) / (12 * spread);
    double x[] = { log(shape), log(s.sum / s.n) };
    minimise(unlikely, &s, 2, x, 0.3, FIT_CLOSE, FIT_TURNS);
    c->shape = exp(x[0]);
    c->scale = exp(x[1] - x[0]);
    return 0;
}

static const struct param params[] = {
    { "shape", set_positive, offsetof(struct conf, shape), NULL,
      "1 is exponential, greater is steadier" },
    { "scale", set_period, offsetof(struct conf, scale), NULL, "mean / shape" },
    { 0 },
};

const struct delay_ops delay_gamma = {
    .plug = { .name = "gamma", .help = "gamma", .params = params, .conf = sizeof(struct conf) },
    .sample = sample,
    .cdf = cdf,
    .logtail = logtail,
    .quantile = quantile,
    .mean = mean,
    .logpdf = logpdf,
    .ageing = ageing,
    .fit = fit,
};
