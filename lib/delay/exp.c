/* Exponential delay: memoryless. */
#include <math.h>

#include "delay/delay.h"

struct conf {
    double mean; /* seconds */
};

static double sample(const void *conf, struct rng *r)
{
    return -((const struct conf *)conf)->mean * log(rng_uniform(r));
}

static const struct param params[] = {
    { "mean", set_duration, offsetof(struct conf, mean), NULL, "mean" },
    { 0 },
};

const struct delay_ops delay_exp = {
    .plug = { "exp", "exponential", params, sizeof(struct conf), NULL },
    .sample = sample,
};
