/* Uniform delay between two ends. */
#include "delay/delay.h"

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

static const struct param params[] = {
    { "min", set_duration, offsetof(struct conf, min), NULL, "the least delay" },
    { "max", set_duration, offsetof(struct conf, max), NULL, "the greatest delay" },
    { 0 },
};

const struct delay_ops delay_uniform = {
    .plug = { "uniform", "uniform between min and max", params, sizeof(struct conf), check },
    .sample = sample,
};
