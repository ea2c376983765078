/* Which rows go into which shard. */
#ifndef RUN_SPLIT_ORDER_H
#define RUN_SPLIT_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/plug.h"
#include "base/rng.h"
#include "data/stock.h"

/* A place for each row: those held out first, then shard after shard. Zeroed before use; order_free at the end. */
struct order {
    uint64_t *begin; /* (shards + 1): places where the rows of each begin */
    size_t shards, rows, held;
    bool shuffled;
    struct perm drawn; /* of all rows */
    uint64_t *place;   /* (rows + held) by row, where it must be kept; NULL: it can be computed */
};

/* Deals out the rows by a row of split_table, after `held` of them were put aside. Every row once, no
 * shard empty. There are at least as many others as shards. ERR_USAGE: labels that are no classes cannot
 * be dealt out by class. */
int order_find(struct order *o, const struct spec *how, struct stock *s, size_t shards, size_t held,
               uint64_t seed, struct err *e);

uint64_t order_place(const struct order *o, uint64_t row);
void order_free(struct order *o);

#endif
