/* Linear models: scores s = W x + b and the sums of their gradients, for every kind of rows. */
#ifndef LEARN_LINEAR_H
#define LEARN_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/rows.h"

/* Zeroed before use. */
struct linear {
    size_t outputs;  /* C */
    size_t features; /* d; w is weight (C, d), then bias (C) */
    bool bias;
    size_t tile; /* rows of bytes turned into floats at a time */
    float *x;    /* (tile, d): what they become */
};

int linear_open(struct linear *l, size_t outputs, size_t features, bool bias, struct err *e);
void linear_close(struct linear *l);

/* s (n, C) of a block. */
void linear_scores(const struct linear *l, const float *w, const struct rows *block, float *s);

/* sum += the gradient that belongs to ds (n, C), the derivatives of the losses by the scores. */
void linear_add(const struct linear *l, const float *ds, const struct rows *block, float *sum);

/* ||x||^2 of row r of a block, and 1 more for the bias: what the squared derivatives of its scores have to
 * be multiplied with for the squared norm of its gradient. */
double linear_square(const struct linear *l, const struct rows *block, size_t r);

/* dx (n, d) = ds (n, C) W: the derivatives by what dense rows hold. */
void linear_back(const struct linear *l, const float *w, const float *ds, size_t n, float *dx);

#endif
