/* Start near the origin: weights normal with mean 0, biases 0. */
#include "learn/init.h"

struct conf {
    double sd;
};

static int fill(const void *conf, const struct layout *l, uint64_t seed, float *w, struct err *e)
{
    (void)e;
    const struct conf *c = conf;
    for (size_t i = 0; i < l->n; i++)
        init_draw(l, i, l->parts[i].penalised ? c->sd : 0, seed, w);
    return 0;
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
