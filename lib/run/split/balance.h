/* Classes that count alike in training, however many rows each has. */
#ifndef RUN_SPLIT_BALANCE_H
#define RUN_SPLIT_BALANCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "data/builder.h"
#include "data/dataset.h"

/* What the weight of a row is multiplied with, by its class. Zeroed before use; balance_free at the end. */
struct balance {
    double *factor; /* (classes); NULL: weights stay */
    size_t n;
};

/* The factors that give every class of the rows row[0 .. n) of d the same sum of weights, W / classes, and leave
 * W, the sum over all of them, as it is. A
 * class without weight among them keeps a factor of 1. ERR_USAGE: labels are targets. */
int balance_find(struct balance *b, const struct dataset *d, const uint64_t *row, size_t n, struct err *e);

/* Row i of the builder, whose class is k. The builder has weights. */
void balance_apply(const struct balance *b, struct builder *rows, size_t i, size_t k);

void balance_free(struct balance *b);

#endif
