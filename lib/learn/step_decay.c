/* Steps that fall with the iteration j. */
#include <math.h>

#include "learn/optimizer.h"

struct conf {
    double rate, decay, factor;
    uint64_t every;
};

static double inverse(const void *conf, uint64_t iteration)
{
    const struct conf *c = conf;
    return c->rate / (1 + c->decay * (double)iteration);
}

static double root(const void *conf, uint64_t iteration)
{
    return ((const struct conf *)conf)->rate / sqrt((double)iteration + 1);
}

static double stairs(const void *conf, uint64_t iteration)
{
    const struct conf *c = conf;
    return c->rate * pow(c->factor, (double)(iteration / c->every));
}

#define RATE                                                                                       \
    {                                                                                              \
        "rate", set_positive, offsetof(struct conf, rate), NULL, "the step at the start"           \
    }

static const struct param inverse_params[] = {
    RATE,
    { "decay", set_nonneg, offsetof(struct conf, decay), "1e-3", "rate / (1 + decay j)" },
    { 0 },
};
static const struct param root_params[] = { RATE, { 0 } };
static const struct param stairs_params[] = {
    RATE,
    { "factor", set_positive, offsetof(struct conf, factor), "0.1", "what it is multiplied by" },
    { "every", set_count, offsetof(struct conf, every), "1000", "updates between two falls" },
    { 0 },
};

extern const struct step_ops step_inverse, step_root, step_stairs;
const struct step_ops step_inverse = {
    .plug = { .name = "inverse",
              .help = "falls as 1 / (1 + decay j)",
              .params = inverse_params,
              .conf = sizeof(struct conf) },
    .base = inverse,
};
const struct step_ops step_root = {
    .plug = { .name = "sqrt",
              .help = "falls as 1 / root of j + 1",
              .params = root_params,
              .conf = sizeof(struct conf) },
    .base = root,
};
const struct step_ops step_stairs = {
    .plug = { .name = "step",
              .help = "falls by a factor every so many updates",
              .params = stairs_params,
              .conf = sizeof(struct conf) },
    .base = stairs,
};
