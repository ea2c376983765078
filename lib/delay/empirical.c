/* Empirical delay: as the durations of a file were, each with the chance that it had there. */
#include "delay/empirical.h"

#include <math.h>

struct conf {
    const char *path;
    struct steps steps;
};

static const struct steps *steps_of(const void *conf)
{
    return &((const struct conf *)conf)->steps;
}

static int check(void *conf, struct err *e)
{
    struct conf *c = conf;
    struct durations d = { 0 };
    int status = durations_read(&d, c->path, e);
    if (status == 0)
        status = steps_open(&c->steps, &d, false, e);
    durations_free(&d);
    return status;
}

static void release(void *conf)
{
    steps_free(&((struct conf *)conf)->steps);
}

static double sample(const void *conf, struct rng *r)
{
    return steps_quantile(steps_of(conf), rng_uniform(r));
}

static double cdf(const void *conf, double x)
{
    return steps_cdf(steps_of(conf), x);
}

static double logtail(const void *conf, double x)
{
    return log1p(-cdf(conf, x));
}

static double quantile(const void *conf, double p, double q)
{
    (void)q;
    return steps_quantile(steps_of(conf), p);
}

static double mean(const void *conf)
{
    return steps_mean(steps_of(conf));
}

/* Of a probability, as there is no density. */
static double logpdf(const void *conf, double x)
{
    return log(cdf(conf, x) - cdf(conf, nextafter(x, -1)));
}

static const struct param params[] = {
    { "file", set_path, offsetof(struct conf, path), NULL, "a trace, or a duration a line" },
    { 0 },
};

const struct delay_ops delay_empirical = {
    .plug = { .name = "empirical",
              .help = "as in a file of durations",
              .params = params,
              .conf = sizeof(struct conf),
              .check = check,
              .release = release },
    .sample = sample,
    .cdf = cdf,
    .logtail = logtail,
    .quantile = quantile,
    .mean = mean,
    .logpdf = logpdf,
};

const struct steps *empirical_steps(const struct spec *d)
{
    return d->plug == &delay_empirical.plug ? steps_of(d->conf) : NULL;
}
