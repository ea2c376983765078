/* Linear models: scores s = W x + b and the sums of their gradients, for every kind of rows. */
#include "learn/linear.h"

#include <assert.h>
#include <cblas.h>
#include <stdlib.h>
#include <string.h>

#include "base/floats.h"
#include "base/mem.h"
#include "learn/engine.h"

enum { TILE_FLOATS = 1 << 16 }; /* a tile of floats stays in the second-level cache */

int linear_open(struct linear *l, size_t outputs, size_t features, bool bias, struct err *e)
{
    size_t tile = TILE_FLOATS / features;
    *l = (struct linear){ outputs, features, bias, tile == 0 ? 1 : tile, NULL };
    l->x = mem_new(l->tile * features, sizeof *l->x, e);
    return l->x == NULL ? -1 : 0;
}

void linear_close(struct linear *l)
{
    free(l->x);
    *l = (struct linear){ 0 };
}

/* Every row's scores start as the bias. */
static void start_scores(const struct linear *l, const float *w, size_t n, float *s)
{
    const float *bias = w + l->outputs * l->features;
    for (size_t r = 0; r < n; r++, s += l->outputs)
        if (l->bias)
            memcpy(s, bias, l->outputs * sizeof *s);
        else
            memset(s, 0, l->outputs * sizeof *s);
}

static void add_bias(const struct linear *l, const float *ds, size_t n, float *sum)
{
    float *bias = sum + l->outputs * l->features;
    for (size_t c = 0; l->bias && c < l->outputs; c++) {
        double total = bias[c];
        for (size_t r = 0; r < n; r++)
            total += ds[r * l->outputs + c];
        bias[c] = (float)total;
    }
}

/* s (n, C) += x (n, f) W', f the width of the block. One output is a product with a vector. */
static void dense_scores(const struct linear *l, const float *w, const struct rows *b, float *s)
{
    int n = (int)b->n, f = (int)b->features, d = (int)l->features, outputs = (int)l->outputs;
    if (f == 0)
        return;
    if (outputs == 1)
        cblas_sgemv(CblasRowMajor, CblasNoTrans, n, f, 1, b->x, f, w, 1, 1, s, 1);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, outputs, f, 1, b->x, f, w, d, 1, s,
                    outputs);
}

/* sum (C, d) += ds' (C, n) x (n, f) */
static void dense_add(const struct linear *l, const float *ds, const struct rows *b, float *sum)
{
    int n = (int)b->n, f = (int)b->features, d = (int)l->features, outputs = (int)l->outputs;
    if (f == 0)
        return;
    if (outputs == 1)
        cblas_sgemv(CblasRowMajor, CblasTrans, n, f, 1, b->x, f, ds, 1, 1, sum, 1);
    else
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, outputs, f, n, 1, ds, outputs, b->x, f,
                    1, sum, d);
}

/* The rows of a block of bytes from `at` on, as many as fit a tile, as floats. */
static struct rows float_tile(const struct linear *l, const struct rows *b, size_t at)
{
    size_t n = b->n - at < l->tile ? b->n - at : l->tile;
    const uint8_t *from = b->bytes + at * b->features;
    floats_widen(l->x, from, n * b->features, b->scale);
    return (struct rows){ .kind = ROWS_DENSE, .n = n, .features = b->features, .x = l->x };
}

static void bytes_scores(const struct linear *l, const float *w, const struct rows *b, float *s)
{
    for (size_t at = 0; at < b->n; at += l->tile) {
        struct rows t = float_tile(l, b, at);
        dense_scores(l, w, &t, s + at * l->outputs);
    }
}

static void bytes_add(const struct linear *l, const float *ds, const struct rows *b, float *sum)
{
    for (size_t at = 0; at < b->n; at += l->tile) {
        struct rows t = float_tile(l, b, at);
        dense_add(l, ds + at * l->outputs, &t, sum);
    }
}

static void sparse_scores(const struct linear *l, const float *w, const struct rows *b, float *s)
{
    for (size_t r = 0; r < b->n; r++)
        for (size_t c = 0; c < l->outputs; c++) {
            const float *weight = w + c * l->features;
            double score = 0;
            for (int64_t k = b->indptr[r]; k < b->indptr[r + 1]; k++)
                score += (double)b->values[k] * weight[b->indices[k]];
            *s++ += (float)score;
        }
}

static void sparse_add(const struct linear *l, const float *ds, const struct rows *b, float *sum)
{
    for (size_t r = 0; r < b->n; r++)
        for (size_t c = 0; c < l->outputs; c++, ds++) {
            float *weight = sum + c * l->features;
            for (int64_t k = b->indptr[r]; *ds != 0 && k < b->indptr[r + 1]; k++)
                weight[b->indices[k]] += *ds * b->values[k];
        }
}

static double dense_square(const struct rows *b, size_t r)
{
    const float *x = b->x + r * b->features;
    double sum = 0;
    for (size_t i = 0; i < b->features; i++)
        sum += (double)x[i] * x[i];
    return sum;
}

static double bytes_square(const struct rows *b, size_t r)
{
    const uint8_t *x = b->bytes + r * b->features;
    double sum = 0;
    for (size_t i = 0; i < b->features; i++)
        sum += (double)x[i] * x[i];
    return sum * b->scale * b->scale;
}

static double sparse_square(const struct rows *b, size_t r)
{
    double sum = 0;
    for (int64_t k = b->indptr[r]; k < b->indptr[r + 1]; k++)
        sum += (double)b->values[k] * b->values[k];
    return sum;
}

static const struct {
    void (*scores)(const struct linear *l, const float *w, const struct rows *b, float *s);
    void (*add)(const struct linear *l, const float *ds, const struct rows *b, float *sum);
    double (*square)(const struct rows *b, size_t r);
} kinds[] = {
    [ROWS_DENSE] = { dense_scores, dense_add, dense_square },
    [ROWS_BYTES] = { bytes_scores, bytes_add, bytes_square },
    [ROWS_SPARSE] = { sparse_scores, sparse_add, sparse_square },
};

void linear_scores(const struct linear *l, const float *w, const struct rows *block, float *s)
{
    assert(block->features <= l->features);
    start_scores(l, w, block->n, s);
    kinds[block->kind].scores(l, w, block, s);
}

void linear_add(const struct linear *l, const float *ds, const struct rows *block, float *sum)
{
    assert(block->features <= l->features);
    kinds[block->kind].add(l, ds, block, sum);
    add_bias(l, ds, block->n, sum);
}

double linear_square(const struct linear *l, const struct rows *block, size_t r)
{
    return kinds[block->kind].square(block, r) + (l->bias ? 1 : 0);
}

void linear_back(const struct linear *l, const float *w, const float *ds, size_t n, float *dx)
{
    int rows = (int)n, d = (int)l->features, outputs = (int)l->outputs;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, d, outputs, 1, ds, outputs, w, d, 0,
                dx, d);
}

/* Half a millisecond of work: nanoseconds for the data's way through the memory and for their
 * products, twice, and for what a score costs. Sparse rows cost less than that, hence the least. */
static size_t chunk_of(size_t outputs, size_t features)
{
    const double budget = 5e5, memory = 0.8, product = 0.13, score = 30;
    const size_t least = 32, most = 4096;
    double c = (double)outputs;
    double rows = budget / ((memory + product * c) * (double)features + score * c);
    return rows < (double)least ? least : rows > (double)most ? most : (size_t)rows;
}

static void *open_engine(const void *conf, const struct dims *d, size_t outputs, size_t *chunk,
                         struct err *e)
{
    (void)conf;
    struct linear *l = mem_new(1, sizeof *l, e);
    if (l != NULL && linear_open(l, outputs, d->features, d->bias, e) < 0) {
        free(l);
        return NULL;
    }
    *chunk = chunk_of(outputs, d->features);
    return l;
}

static void close_engine(void *self)
{
    linear_close(self);
    free(self);
}

static void scores(void *self, const float *w, const struct rows *block, float *s)
{
    linear_scores(self, w, block, s);
}

static void add(void *self, const float *w, const float *ds, const struct rows *block, float *sum)
{
    (void)w;
    linear_add(self, ds, block, sum);
}

static double square(const void *self, const struct rows *block, size_t r)
{
    return linear_square(self, block, r);
}

const struct engine_ops engine_linear = { open_engine, close_engine, scores, add, square };
