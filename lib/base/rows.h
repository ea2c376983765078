/* A block of rows: what readers hand on, shards map, and gradients take. A view; it owns nothing. */
#ifndef BASE_ROWS_H
#define BASE_ROWS_H

#include <stddef.h>
#include <stdint.h>

enum rows_kind {
    ROWS_DENSE,  /* x: (n, features) float */
    ROWS_BYTES,  /* bytes: (n, features) u8, each worth bytes * scale */
    ROWS_SPARSE, /* CSR: indptr (n + 1), indices and values (indptr[n]); indices of a row ascend */
};

struct rows {
    enum rows_kind kind;
    size_t n, features;
    const float *x;
    const uint8_t *bytes;
    float scale;
    const int64_t *indptr;
    const int32_t *indices; /* from 0, < features */
    const float *values;
    const double *labels; /* (n): a target, or a class index */
    const float *weights; /* (n), >= 0: how many rows each counts for; NULL: each for one */
};

/* Rows from..from + n of a block, without copying. */
static inline struct rows rows_cut(const struct rows *block, size_t from, size_t n)
{
    struct rows v = *block;
    v.n = n;
    if (v.labels != NULL)
        v.labels += from;
    if (v.weights != NULL)
        v.weights += from;
    if (v.kind == ROWS_DENSE)
        v.x += from * v.features;
    if (v.kind == ROWS_BYTES)
        v.bytes += from * v.features;
    if (v.kind == ROWS_SPARSE)
        v.indptr += from;
    return v;
}

static inline double rows_weight(const struct rows *block, size_t i)
{
    return block->weights != NULL ? block->weights[i] : 1;
}

#endif
