/* Always the same delay. */
#include "delay/delay.h"

struct conf {
    double value; /* seconds */
};

static double sample(const void *conf, struct rng *r)
{
    (void)r;
    return ((const struct conf *)conf)->value;
}

static const struct param params[] = {
    { "value", set_duration, offsetof(struct conf, value), NULL, "the delay" },
    { 0 },
};

const struct delay_ops delay_constant = {
    .plug = { "const", "always the same", params, sizeof(struct conf), NULL },
    .sample = sample,
};
