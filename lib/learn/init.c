/* The table of start parameters. */
#include "learn/init.h"

#include <string.h>

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

int init_fill(const struct spec *init, const struct layout *l, uint64_t seed, float *w, struct err *e)
{
    (void)e;
    memset(w, 0, l->size * sizeof *w);
    if (init->plug != NULL)
        ((const struct init_ops *)init->plug)->fill(init->conf, l, seed, w);
    return 0;
}
