/* Pareto delay: P(X > x) = (scale / x)^shape from scale on; no finite mean for shape <= 1. */
#include <math.h>

#include "delay/delay.h"

struct conf {
    double scale; /* seconds: the least delay */
    double shape;
};

static double sample(const void *conf, struct rng *r)
{
    const struct conf *c = conf;
    return c->scale * pow(rng_uniform(r), -1 / c->shape);
}

static const struct param params[] = {
    { "scale", set_duration, offsetof(struct conf, scale), NULL, "the least delay" },
    { "shape", set_positive, offsetof(struct conf, shape), NULL, "tail index, smaller is heavier" },
    { 0 },
};

const struct delay_ops delay_pareto = {
    .plug = { "pareto", "Pareto, a heavy tail", params, sizeof(struct conf), NULL },
    .sample = sample,
};
