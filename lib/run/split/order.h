/* Which rows go into which shard. */
#ifndef RUN_SPLIT_ORDER_H
#define RUN_SPLIT_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/plug.h"
#include "data/dataset.h"

/* Rows of a data set by number. Zeroed before use; order_free at the end. */
struct order {
    uint64_t *row;   /* (rows + held): those of the shards one after the other, then those held out */
    uint64_t *begin; /* (shards + 1): where the rows of each begin */
    size_t shards, rows, held;
};

/* Deals out the rows of d by a row of split_table, after `held` of them were put aside. Every row once, no
 * shard empty. There are at least as many others as shards. ERR_USAGE: labels that are no classes cannot
 * be dealt out by class. */
int order_find(struct order *o, const struct spec *how, const struct dataset *d, size_t shards, size_t held,
               uint64_t seed, struct err *e);
void order_free(struct order *o);

#endif
