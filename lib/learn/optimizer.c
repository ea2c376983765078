/* The table of optimizers. */
#include "learn/optimizer.h"

#define OPTIMIZER(name) extern const struct optimizer_ops optimizer_##name;
#include "learn/optimizer.def"
#undef OPTIMIZER

static const struct plug *const rows[] = {
#define OPTIMIZER(name) &optimizer_##name.plug,
#include "learn/optimizer.def"
#undef OPTIMIZER
    NULL,
};
const struct table optimizer_table = { .noun = "optimizer", .rows = rows };
