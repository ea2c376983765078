/* Rows of a data set gathered into one block. */
#include <stdlib.h>
#include <string.h>

#include "base/floats.h"
#include "base/mem.h"
#include "data/dataset.h"

/* A row of the whole data set, found in its part. */
struct where {
    const struct rows *part;
    size_t row;
};

static struct where find(const struct dataset *d, uint64_t row)
{
    const struct rows *part = d->parts;
    while (row >= part->n)
        row -= part++->n;
    return (struct where){ part, (size_t)row };
}

static void put_floats(float *to, const struct rows *r, size_t row)
{
    memcpy(to, r->x + row * r->features, r->features * sizeof *to);
}

static void put_bytes(float *to, const struct rows *r, size_t row)
{
    const uint8_t *from = r->bytes + row * r->features;
    floats_widen(to, from, r->features, r->scale);
}

static void put_sparse(float *to, const struct rows *r, size_t row)
{
    memset(to, 0, r->features * sizeof *to);
    for (int64_t k = r->indptr[row]; k < r->indptr[row + 1]; k++)
        to[r->indices[k]] = r->values[k];
}

/* All features of one row. */
static void put_dense(float *to, size_t features, struct where w)
{
    static void (*const put[])(float *, const struct rows *, size_t) = { put_floats, put_bytes,
                                                                         put_sparse };
    put[w.part->kind](to, w.part, w.row);
    memset(to + w.part->features, 0, (features - w.part->features) * sizeof *to);
}

static int gather_dense(struct batch *b, const struct dataset *d, const uint64_t *row, size_t n,
                        struct err *e)
{
    if (mem_grow(&b->x, &b->x_cap, n * d->features, sizeof *b->x, e) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        put_dense(b->x + i * d->features, d->features, find(d, row[i]));
    b->rows.x = b->x;
    return 0;
}

static size_t stored(struct where w)
{
    if (w.part->kind != ROWS_SPARSE)
        return w.part->features;
    return (size_t)(w.part->indptr[w.row + 1] - w.part->indptr[w.row]);
}

/* Appends one row at `at`; b->x has room for a dense one on its way. Returns the end. */
static size_t put_entries(struct batch *b, size_t at, struct where w)
{
    if (w.part->kind == ROWS_SPARSE) {
        size_t from = (size_t)w.part->indptr[w.row], n = stored(w);
        memcpy(b->indices + at, w.part->indices + from, n * sizeof *b->indices);
        memcpy(b->values + at, w.part->values + from, n * sizeof *b->values);
        return at + n;
    }
    put_dense(b->x, w.part->features, w);
    for (size_t j = 0; j < w.part->features; j++) {
        b->indices[at] = (int32_t)j;
        b->values[at] = b->x[j];
        at += b->x[j] != 0;
    }
    return at;
}

static int gather_sparse(struct batch *b, const struct dataset *d, const uint64_t *row, size_t n,
                         struct err *e)
{
    size_t total = 1, at = 0; /* one more, which a zero of a dense row may be written to */
    for (size_t i = 0; i < n; i++)
        total += stored(find(d, row[i]));
    if (mem_grow(&b->indptr, &b->indptr_cap, n + 1, sizeof *b->indptr, e) < 0 ||
        mem_grow(&b->indices, &b->indices_cap, total, sizeof *b->indices, e) < 0 ||
        mem_grow(&b->values, &b->values_cap, total, sizeof *b->values, e) < 0 ||
        mem_grow(&b->x, &b->x_cap, d->features, sizeof *b->x, e) < 0)
        return -1;
    b->indptr[0] = 0;
    for (size_t i = 0; i < n; i++) {
        at = put_entries(b, at, find(d, row[i]));
        b->indptr[i + 1] = (int64_t)at;
    }
    b->rows.indptr = b->indptr;
    b->rows.indices = b->indices;
    b->rows.values = b->values;
    return 0;
}

static bool any_sparse(const struct dataset *d)
{
    for (size_t i = 0; i < d->n_parts; i++)
        if (d->parts[i].kind == ROWS_SPARSE)
            return true;
    return false;
}

static bool any_weights(const struct dataset *d)
{
    for (size_t i = 0; i < d->n_parts; i++)
        if (d->parts[i].weights != NULL)
            return true;
    return false;
}

static int gather_weights(struct batch *b, const struct dataset *d, const uint64_t *row, size_t n, struct err *e)
{
    if (!any_weights(d))
        return 0;
    if (mem_grow(&b->weights, &b->weights_cap, n, sizeof *b->weights, e) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct where w = find(d, row[i]);
        b->weights[i] = (float)rows_weight(w.part, w.row);
    }
    b->rows.weights = b->weights;
    return 0;
}

int batch_gather(struct batch *b, const struct dataset *d, const uint64_t *row, size_t n,
                 const double *labels, struct err *e)
{
    bool sparse = any_sparse(d);
    b->rows = (struct rows){ .kind = sparse ? ROWS_SPARSE : ROWS_DENSE, .n = n,
                             .features = d->features };
    if ((sparse ? gather_sparse : gather_dense)(b, d, row, n, e) < 0 ||
        mem_grow(&b->labels, &b->labels_cap, n, sizeof *b->labels, e) < 0 ||
        gather_weights(b, d, row, n, e) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        b->labels[i] = (labels ? labels : d->labels)[row[i]];
    b->rows.labels = b->labels;
    return 0;
}

void batch_free(struct batch *b)
{
    free(b->x);
    free(b->values);
    free(b->indptr);
    free(b->indices);
    free(b->labels);
    free(b->weights);
    memset(b, 0, sizeof *b);
}
