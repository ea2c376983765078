/* Shifted exponential delay: a fixed part and an exponential one. */
#include <math.h>

#include "delay/delay.h"

struct conf {
    double shift, mean; /* seconds; mean of the exponential part alone */
};

static double sample(const void *conf, struct rng *r)
{
    const struct conf *c = conf;
    return c->shift - c->mean * log(rng_uniform(r));
}

static const struct param params[] = {
    { "shift", set_duration, offsetof(struct conf, shift), NULL, "fixed part" },
    { "mean", set_duration, offsetof(struct conf, mean), NULL, "mean of the exponential part" },
    { 0 },
};

const struct delay_ops delay_shifted_exp = {
    .plug = { "shifted-exp", "shift plus an exponential", params, sizeof(struct conf), NULL },
    .sample = sample,
};
