/* The same step at every iteration. */
#include "learn/optimizer.h"

struct conf {
    double rate;
};

static double base(const void *conf, uint64_t iteration)
{
    (void)iteration;
    return ((const struct conf *)conf)->rate;
}

static const struct param params[] = {
    { "rate", set_positive, offsetof(struct conf, rate), NULL, "the step" },
    { 0 },
};

extern const struct step_ops step_constant;
const struct step_ops step_constant = {
    .plug = { .name = "const",
              .help = "the same step throughout",
              .params = params,
              .conf = sizeof(struct conf) },
    .base = base,
};
