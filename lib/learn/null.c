/* N parameters of which nothing is computed: every loss and every gradient is 0. For measuring what the rest of
 * a run costs. */
#include <inttypes.h>

#include "learn/engine.h"

struct conf {
    uint64_t n;
};

static int layout(const void *conf, const struct dims *d, struct layout *l, struct err *e)
{
    size_t n = ((const struct conf *)conf)->n;
    (void)d;
    return layout_add(l, "weight", 1, &n, e);
}

static const struct param params[] = {
    { "N", set_count, offsetof(struct conf, n), NULL, "parameters" },
    { 0 },
};

extern const struct model_ops model_null;
const struct model_ops model_null = {
    .plug = { .name = "null",
              .help = "parameters of which nothing is computed, for measuring",
              .params = params,
              .conf = sizeof(struct conf) },
    .target = TARGET_ANY,
    .layout = layout,
};

extern const struct gradient_ops gradient_null;
const struct gradient_ops gradient_null = { .name = "null", .idle = true };
