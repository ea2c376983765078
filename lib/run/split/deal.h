/* Rows in an order of their own, however many: an external shuffle. */
#ifndef RUN_SPLIT_DEAL_H
#define RUN_SPLIT_DEAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/rows.h"
#include "data/stock.h"
#include "run/split/order.h"

struct deal {
    struct stock *stock; /* its rows are gone afterwards */
    const struct order *order;
    size_t memory;       /* bytes of rows that may be brought into order at a time */
    const char *folder;  /* of temporary files (base/temp.h) */
    void *self;
    int (*put)(void *self, const struct rows *r, size_t i, uint64_t place, struct err *e);
};

/* Hands every row to `put`, in the order of their places. What does not fit into memory is dealt out to files, each of a
 * range of places, and those again where they are still too large. */
int deal_all(const struct deal *d, struct err *e);

#endif
