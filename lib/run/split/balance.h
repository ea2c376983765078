/* Classes that count alike in training, however many rows each has. */
#ifndef RUN_SPLIT_BALANCE_H
#define RUN_SPLIT_BALANCE_H

#include <stddef.h>

#include "base/err.h"
#include "data/builder.h"

/* What the weight of a row is multiplied with, by its class. Zeroed before use; balance_free at the end. */
struct balance {
    double *factor; /* (n) by class; NULL: weights stay */
    size_t n;
    double sum; /* of the weights of rows that were met */
};

/* The factors that give every class of the rows that are met the same sum of weights, W / classes, and leave
 * W, the sum over all of them, as it is: once settled. A class without weight among them keeps a factor of 1. */
int balance_begin(struct balance *b, size_t classes, struct err *e);
void balance_meet(struct balance *b, size_t k, double weight); /* a row of class k */
void balance_settle(struct balance *b);

/* Row i of the builder, whose class is k. The builder has weights. */
void balance_apply(const struct balance *b, struct builder *rows, size_t i, size_t k);

void balance_free(struct balance *b);

#endif
