/* Hyperexponential delay: one of two exponential ones, chosen anew each time; varies more than either. */
#include <math.h>

#include "base/solve.h"
#include "base/special.h"
#include "delay/delay.h"
#include "delay/durations.h"

struct conf {
    double p;            /* share of the first */
    double mean1, mean2; /* seconds */
};

static int check(void *conf, struct err *e)
{
    const struct conf *c = conf;
    return c->p < 1 ? 0 : err_set(e, ERR_USAGE, "p=%g must be less than 1", c->p);
}

static double sample(const void *conf, struct rng *r)
{
    const struct conf *c = conf;
    double mean = rng_uniform(r) < c->p ? c->mean1 : c->mean2;
    return -mean * log(rng_uniform(r));
}

static double cdf(const void *conf, double x)
{
    const struct conf *c = conf;
    return x > 0 ? -c->p * expm1(-x / c->mean1) - (1 - c->p) * expm1(-x / c->mean2) : 0;
}

static double logtail(const void *conf, double x)
{
    const struct conf *c = conf;
    double below = cdf(conf, x);
    return below < 0.5 ? log1p(-below)
                       : log_sum(log(c->p) - x / c->mean1, log1p(-c->p) - x / c->mean2);
}

static double logpdf(const void *conf, double x)
{
    const struct conf *c = conf;
    return x < 0 ? -INFINITY
                 : log_sum(log(c->p / c->mean1) - x / c->mean1,
                           log1p(-c->p) - log(c->mean2) - x / c->mean2);
}

static double mean(const void *conf)
{
    const struct conf *c = conf;
    return c->p * c->mean1 + (1 - c->p) * c->mean2;
}

struct goal {
    const struct conf *conf;
    double p, log_q;
};

static double miss(const void *state, double log_x)
{
    const struct goal *g = state;
    double x = exp(log_x);
    return g->p < 0.5 ? log(cdf(g->conf, x) / g->p) : g->log_q - logtail(g->conf, x);
}

static double quantile(const void *conf, double p, double q)
{
    if (p <= 0 || q <= 0)
        return p <= 0 ? 0 : INFINITY;
    struct goal g = { conf, p, log(q) };
    return exp(root_near(miss, &g, log(-mean(conf) * log1p(-fmin(p, 0.9)))));
}

static unsigned ageing(const void *conf)
{
    const struct conf *c = conf;
    return DELAY_NSU | (c->mean1 == c->mean2 ? DELAY_NLU : 0);
}

/* x: the logarithms of p / (1 - p), mean1 and mean2. */
static struct conf conf_at(const double *x)
{
    double odds = fmin(fmax(x[0], -30), 30); /* p stays between 0 and 1 */
    return (struct conf){ 1 / (1 + exp(-odds)), exp(x[1]), exp(x[2]) };
}

static double unlikely(const void *state, const double *x)
{
    const struct durations *d = state;
    struct conf c = conf_at(x);
    double likely = 0;
    for (size_t i = 0; i < d->n; i++)
        likely += (d->v[i].censored ? logtail : logpdf)(&c, d->v[i].seconds);
    return -likely;
}

/* The first part is the one with the smaller mean. */
static struct conf in_order(struct conf c)
{
    return c.mean1 <= c.mean2 ? c : (struct conf){ 1 - c.p, c.mean2, c.mean1 };
}

/* From the best exponential law taken apart: the simplex runs twice, as its first end may be a ridge. */
static int fit(void *conf, const struct durations *d, struct err *e)
{
    double sum = 0;
    for (size_t i = 0; i < d->n; i++)
        sum += d->v[i].seconds;
    if (sum == 0)
        return err_set(e, ERR_DATA, "all durations are 0");
    double middle = log(sum / (double)durations_completed(d));
    double x[] = { 1, middle - 1, middle + 1 };
    for (int run = 0; run < 2; run++)
        minimise(unlikely, d, 3, x, run == 0 ? 0.7 : 0.1, FIT_CLOSE, FIT_TURNS);
    *(struct conf *)conf = in_order(conf_at(x));
    return 0;
}

static const struct param params[] = {
    { "p", set_positive, offsetof(struct conf, p), NULL, "share of the first, less than 1" },
    { "mean1", set_period, offsetof(struct conf, mean1), NULL, "mean of the first" },
    { "mean2", set_period, offsetof(struct conf, mean2), NULL, "mean of the second" },
    { 0 },
};

const struct delay_ops delay_hyperexp = {
    .plug = { .name = "hyperexp",
              .help = "one of two exponentials",
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
