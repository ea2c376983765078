/* The table of start parameters. */
#include "learn/init.h"

#include <string.h>

#include "base/rng.h"

#define INIT(name) extern const struct init_ops init_##name;
#include "learn/init.def"
#undef INIT

static const struct plug *const rows[] = {
#define INIT(name) &init_##name.plug,
#include "learn/init.def"
#undef INIT
    NULL,
};
const struct table init_table = { .noun = "init", .rows = rows };

/* Every part draws from a place of its own, so that one more part leaves the others as they were. */
void init_draw(const struct layout *l, size_t i, double deviation, uint64_t seed, float *w)
{
    const struct part *p = &l->parts[i];
    struct rng r;
    rng_open(&r, seed, RNG_START, 0, i);
    for (size_t k = 0; deviation > 0 && k < p->size; k++)
        w[p->offset + k] = (float)(deviation * rng_normal(&r));
}

int init_fill(const struct spec *init, const struct layout *l, uint64_t seed, float *w, struct err *e)
{
    (void)e;
    const struct init_ops *row =
        init->plug == NULL ? &init_model : (const struct init_ops *)init->plug;
    memset(w, 0, l->size * sizeof *w);
    row->fill(init->conf, l, seed, w);
    return 0;
}
