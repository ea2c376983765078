/* Start near the origin: weights normal with mean 0, biases 0. */
#include "base/rng.h"
#include "learn/init.h"

struct conf {
    double sd;
};

/* Every part draws from a place of its own, so that one more part leaves the others as they were. */
static void fill(const void *conf, const struct layout *l, uint64_t seed, float *w)
{
    const struct conf *c = conf;
    for (size_t i = 0; i < l->n; i++) {
        const struct part *p = &l->parts[i];
        struct rng r;
        rng_open(&r, seed, RNG_START, 0, i);
        for (size_t k = 0; p->penalised && k < p->size; k++)
            w[p->offset + k] = (float)(c->sd * rng_normal(&r));
    }
}

static const struct param params[] = {
    { "sd", set_nonneg, offsetof(struct conf, sd), "0.01", "standard deviation of the weights" },
    { 0 },
};

extern const struct init_ops init_normal;
const struct init_ops init_normal = {
    .plug = { .name = "normal",
              .help = "weights normal around 0, biases 0",
              .params = params,
              .conf = sizeof(struct conf) },
    .fill = fill,
};
