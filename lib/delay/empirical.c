/* Delays out of a file: empirical, each duration with the chance that it had there, and recorded, worker
 * by worker in their order. */
#include "delay/empirical.h"

#include <math.h>

#include "delay/lanes.h"

struct conf {
    const char *path;
    struct steps steps;
    struct lanes lanes; /* of the recorded alone */
};

static const struct steps *steps_of(const void *conf)
{
    return &((const struct conf *)conf)->steps;
}

static int read(struct conf *c, bool recorded, struct err *e)
{
    struct durations d = { 0 };
    int status = durations_read(&d, c->path, e);
    if (status == 0 && recorded)
        status = lanes_open(&c->lanes, &d, e);
    if (status == 0)
        status = steps_open(&c->steps, &d, false, e);
    durations_free(&d);
    return status;
}

static int check_empirical(void *conf, struct err *e)
{
    return read(conf, false, e);
}

static int check_recorded(void *conf, struct err *e)
{
    return read(conf, true, e);
}

static void release(void *conf)
{
    struct conf *c = conf;
    lanes_free(&c->lanes);
    steps_free(&c->steps);
}

static double at(const void *conf, uint64_t rank, uint64_t index)
{
    return lanes_at(&((const struct conf *)conf)->lanes, rank, index);
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
              .check = check_empirical,
              .release = release },
    .sample = sample,
    .cdf = cdf,
    .logtail = logtail,
    .quantile = quantile,
    .mean = mean,
    .logpdf = logpdf,
};

const struct delay_ops delay_recorded = {
    .plug = { .name = "recorded",
              .help = "as in a file of durations, worker by worker in their order",
              .params = params,
              .conf = sizeof(struct conf),
              .check = check_recorded,
              .release = release },
    .sample = sample,
    .at = at,
    .cdf = cdf,
    .logtail = logtail,
    .quantile = quantile,
    .mean = mean,
    .logpdf = logpdf,
};

const struct steps *empirical_steps(const struct spec *d)
{
    bool ours = d->plug == &delay_empirical.plug || d->plug == &delay_recorded.plug;
    return ours ? steps_of(d->conf) : NULL;
}
