/* Gradients of every linear model against central differences of losses written here once more, in double
 * precision; and that kinds of rows, chunks and narrow rows make no difference. */
#include "learn/gradient.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "lib/tap.h"

enum { ROWS = 45, FEATURES = 37, NARROW = 21, CLASSES = 5, PARAMETERS = CLASSES * (FEATURES + 1) };

/* The reference losses: s (C) are the scores of one row. */
static double ref_squares(const double *s, int classes, double y)
{
    (void)classes;
    return 0.5 * (s[0] - y) * (s[0] - y);
}

static double ref_logistic(const double *s, int classes, double y)
{
    (void)classes;
    return log(1 + exp(-(2 * y - 1) * s[0]));
}

static double ref_hinge(const double *s, int classes, double y)
{
    (void)classes;
    return fmax(0, 1 - (2 * y - 1) * s[0]);
}

static double ref_softmax(const double *s, int classes, double y)
{
    double sum = 0;
    for (int c = 0; c < classes; c++)
        sum += exp(s[c]);
    return -log(exp(s[(int)y]) / sum);
}

static const struct reference {
    const char *name;
    int outputs;
    double (*loss)(const double *s, int classes, double y);
} references[] = {
    { "least-squares", 1, ref_squares },
    { "logistic", 1, ref_logistic },
    { "softmax", CLASSES, ref_softmax },
    { "hinge", 1, ref_hinge },
};

static const struct reference *reference_of(const char *name)
{
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++)
        if (strcmp(references[i].name, name) == 0)
            return &references[i];
    return NULL;
}

/* The same rows in every kind. */
struct data {
    size_t features;
    float x[ROWS * FEATURES];
    uint8_t bytes[ROWS * FEATURES];
    int64_t indptr[ROWS + 1];
    int32_t indices[ROWS * FEATURES];
    float values[ROWS * FEATURES];
    double labels[ROWS];
};

struct test {
    const struct reference *ref;
    struct gradient *g;
    struct dims dims;
    struct layout layout;
    struct data data;
    float w[PARAMETERS];
    char name[100]; /* what tests say they are about */
};

static const float scale = 1 / 255.0f;

/* Half of the values are zero; labels of classes run through all of them. */
static void fill_data(struct data *d, size_t features, int classes, struct rng *r)
{
    size_t nonzero = 0;
    d->features = features;
    for (size_t i = 0; i < ROWS; i++) {
        d->indptr[i] = (int64_t)nonzero;
        d->labels[i] = classes == 0 ? 3 * rng_normal(r) : (double)(i % (size_t)classes);
        for (size_t k = 0; k < features; k++) {
            uint8_t byte = rng_u32(r) % 2 ? (uint8_t)(1 + rng_u32(r) % 255) : 0;
            d->bytes[i * features + k] = byte;
            d->x[i * features + k] = (float)byte * scale;
            if (byte == 0)
                continue;
            d->indices[nonzero] = (int32_t)k;
            d->values[nonzero++] = (float)byte * scale;
        }
    }
    d->indptr[ROWS] = (int64_t)nonzero;
}

/* Rows from..to of the data as a block. */
static struct rows block(const struct data *d, enum rows_kind kind, size_t from, size_t to)
{
    return (struct rows){ .kind = kind,
                          .n = to - from,
                          .features = d->features,
                          .x = d->x + from * d->features,
                          .bytes = d->bytes + from * d->features,
                          .scale = scale,
                          .indptr = d->indptr + from,
                          .indices = d->indices,
                          .values = d->values,
                          .labels = d->labels + from };
}

/* Sum of losses over all rows, from parameters in double. */
static double ref_total(const struct test *t, const double *w)
{
    size_t d = t->dims.features, outputs = (size_t)t->ref->outputs;
    double total = 0;
    for (size_t r = 0; r < ROWS; r++) {
        double s[CLASSES];
        for (size_t c = 0; c < outputs; c++) {
            s[c] = t->dims.bias ? w[outputs * d + c] : 0;
            for (size_t k = 0; k < t->data.features; k++)
                s[c] += w[c * d + k] * (double)t->data.x[r * t->data.features + k];
        }
        total += t->ref->loss(s, t->ref->outputs, t->data.labels[r]);
    }
    return total;
}

static double double_loss(const struct test *t)
{
    double w[PARAMETERS];
    for (size_t i = 0; i < t->layout.size; i++)
        w[i] = t->w[i];
    return ref_total(t, w);
}

static void differences(const struct test *t, double *g)
{
    const double h = 1e-5;
    double w[PARAMETERS];
    for (size_t i = 0; i < t->layout.size; i++)
        w[i] = t->w[i];
    for (size_t i = 0; i < t->layout.size; i++) {
        w[i] = t->w[i] + h;
        double above = ref_total(t, w);
        w[i] = t->w[i] - h;
        g[i] = (above - ref_total(t, w)) / (2 * h);
        w[i] = t->w[i];
    }
}

/* The gradient of all rows, in pieces of `step` rows. */
static double gradient(const struct test *t, enum rows_kind kind, size_t step, float *sum)
{
    double loss = 0;
    memset(sum, 0, sizeof(float[PARAMETERS]));
    for (size_t at = 0; at < ROWS; at += step) {
        struct rows b = block(&t->data, kind, at, at + step < ROWS ? at + step : ROWS);
        gradient_add(t->g, t->w, &b, sum, &loss);
    }
    return loss;
}

static bool near(double a, double b, double relative)
{
    return fabs(a - b) <= relative * fmax(fabs(a), fabs(b));
}

/* Every component, relative to the largest. */
static bool all_near(const float *a, const double *b, size_t n, double relative)
{
    double largest = 0, off = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(b[i]));
        off = fmax(off, fabs(a[i] - b[i]));
    }
    if (!(off <= relative * largest))
        printf("# off by %g of %g\n", off, largest);
    return largest > 0 && off <= relative * largest;
}

/* A few units in the last place. */
static bool all_same(const float *a, const float *b, size_t n)
{
    double wide[PARAMETERS];
    for (size_t i = 0; i < n; i++)
        wide[i] = b[i];
    return all_near(a, wide, n, 8 * FLT_EPSILON);
}

static void test_differences(const struct test *t)
{
    double want[PARAMETERS];
    float got[PARAMETERS];
    differences(t, want);
    double loss = gradient(t, ROWS_DENSE, ROWS, got);
    ok(all_near(got, want, t->layout.size, 1e-5), "%s: the gradient agrees with differences", t->name);
    ok(near(loss, double_loss(t), 1e-6), "%s: the loss agrees with the reference", t->name);
}

static void test_kinds(const struct test *t)
{
    float dense[PARAMETERS], other[PARAMETERS];
    double loss = gradient(t, ROWS_DENSE, ROWS, dense);
    double sparse = gradient(t, ROWS_SPARSE, ROWS, other);
    ok(near(loss, sparse, 1e-6) && all_same(other, dense, t->layout.size),
       "%s: sparse rows give what dense rows give", t->name);
    double bytes = gradient(t, ROWS_BYTES, ROWS, other);
    ok(near(loss, bytes, 1e-6) && all_same(other, dense, t->layout.size),
       "%s: rows of bytes give what dense rows give", t->name);
}

static void test_chunks(const struct test *t)
{
    static const size_t steps[] = { 1, 2, 7, 32 };
    float whole[PARAMETERS], cut[PARAMETERS];
    bool dense = true, sparse = true;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        double loss = gradient(t, ROWS_DENSE, ROWS, whole);
        dense &= near(loss, gradient(t, ROWS_DENSE, steps[i], cut), 1e-6)
                 && all_same(cut, whole, t->layout.size);
        loss = gradient(t, ROWS_SPARSE, ROWS, whole);
        sparse &= near(loss, gradient(t, ROWS_SPARSE, steps[i], cut), 1e-12)
                  && all_same(cut, whole, t->layout.size);
    }
    ok(dense, "%s: chunks of dense rows add up to the whole", t->name);
    ok(sparse, "%s: chunks of sparse rows add up to the whole", t->name);
}

/* A row of weight k counts like k rows. */
static void test_weights(const struct test *t)
{
    static const enum rows_kind kinds[] = { ROWS_DENSE, ROWS_BYTES, ROWS_SPARSE };
    float weighted[PARAMETERS], repeated[PARAMETERS], weights[ROWS];
    bool same = true;
    for (size_t i = 0; i < ROWS; i++)
        weights[i] = (float)(i % 4);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        double loss = 0, other = 0;
        struct rows all = block(&t->data, kinds[k], 0, ROWS);
        all.weights = weights;
        memset(weighted, 0, sizeof weighted);
        memset(repeated, 0, sizeof repeated);
        for (size_t at = 0; at < ROWS; at += 7) {
            struct rows b = rows_cut(&all, at, at + 7 < ROWS ? 7 : ROWS - at);
            gradient_add(t->g, t->w, &b, weighted, &loss);
        }
        for (size_t i = 0; i < ROWS; i++)
            for (size_t n = 0; n < i % 4; n++) {
                struct rows one = block(&t->data, kinds[k], i, i + 1);
                gradient_add(t->g, t->w, &one, repeated, &other);
            }
        same &= near(loss, other, 1e-6) && all_same(weighted, repeated, t->layout.size);
    }
    ok(same, "%s: a row of weight k counts like k rows", t->name);
}

/* Predictions have the least loss of all labels; the losses of scores add up to the gradient's. */
static void test_scores(const struct test *t)
{
    size_t outputs = gradient_outputs(t->g);
    float s[ROWS * CLASSES], sum[PARAMETERS];
    double total = 0;
    bool least = outputs == (size_t)t->ref->outputs;
    struct rows b = block(&t->data, ROWS_DENSE, 0, ROWS);
    gradient_scores(t->g, t->w, &b, s);
    for (size_t r = 0; r < ROWS; r++) {
        const float *row = s + r * outputs;
        double best = gradient_loss(t->g, row, gradient_predict(t->g, row));
        total += gradient_loss(t->g, row, b.labels[r]);
        for (size_t i = 0; i < ROWS; i++)
            least &= best <= gradient_loss(t->g, row, b.labels[i]);
    }
    ok(least, "%s: no label has less loss than the predicted one", t->name);
    ok(total == gradient(t, ROWS_DENSE, ROWS, sum), "%s: losses of scores add up", t->name);
}

/* Narrow rows are rows whose other features are zero: neither more is read nor less. */
static void test_narrow(struct test *t, struct rng *r)
{
    float narrow[PARAMETERS], padded[PARAMETERS];
    bool same = true;
    static struct data d;
    fill_data(&t->data, NARROW, (int)t->dims.classes, r);
    gradient(t, ROWS_DENSE, ROWS, narrow);
    d = t->data;
    memset(t->data.x, 0, sizeof t->data.x);
    t->data.features = FEATURES;
    for (size_t i = 0; i < ROWS; i++)
        memcpy(t->data.x + i * FEATURES, d.x + i * NARROW, NARROW * sizeof(float));
    gradient(t, ROWS_DENSE, ROWS, padded);
    same = all_same(narrow, padded, t->layout.size);
    t->data = d;
    gradient(t, ROWS_BYTES, ROWS, narrow);
    same &= all_same(narrow, padded, t->layout.size);
    gradient(t, ROWS_SPARSE, ROWS, narrow);
    ok(same && all_same(narrow, padded, t->layout.size),
       "%s: narrow rows are rows padded with zeros", t->name);
}

/* Scores that would overflow a careless exp, and a score that is no number. */
static void test_extremes(const struct test *t)
{
    size_t outputs = gradient_outputs(t->g);
    float far[CLASSES] = { 5000 }, none[CLASSES] = { NAN, NAN, NAN, NAN, NAN };
    double right = gradient_predict(t->g, far);
    double loss = gradient_loss(t->g, far, right);
    ok(loss >= 0 && loss < 1e-6, "%s: a sure and right score has no loss", t->name);
    loss = gradient_loss(t->g, far, outputs > 1 ? 1 : 0);
    ok(isfinite(loss) && loss >= 5000, "%s: a sure and wrong score has a finite loss", t->name);
    ok(isnan(gradient_loss(t->g, none, 0)) && isnan(gradient_loss(t->g, none, 1)),
       "%s: a score that is no number has no loss", t->name);
}

static void test_model(const struct plug *row, bool bias, uint64_t index)
{
    static struct test t;
    struct err e = { 0 };
    struct spec spec = { 0 };
    struct rng r;
    rng_open(&r, 1, RNG_START, bias, index);
    snprintf(t.name, sizeof t.name, "%s %s bias", row->name, bias ? "with" : "without");
    t.ref = reference_of(row->name);
    if (!ok(t.ref != NULL && spec_parse(&spec, &model_table, row->name, &e) == 0,
            "%s: there is a reference", t.name))
        return;
    uint64_t classes[] = { [TARGET_REAL] = 0, [TARGET_TWO] = 2, [TARGET_MANY] = CLASSES };
    t.dims = (struct dims){ FEATURES, classes[model_row(&spec)->target], bias, { 0 } };
    t.g = gradient_open(&spec, &t.dims, &e);
    if (ok(t.g != NULL && model_layout(&spec, &t.dims, &t.layout, &e) == 0
               && gradient_chunk(t.g) >= 1,
           "%s: opens", t.name)) {
        fill_data(&t.data, FEATURES, (int)t.dims.classes, &r);
        for (size_t i = 0; i < t.layout.size; i++)
            t.w[i] = (float)(0.3 * rng_normal(&r));
        test_differences(&t);
        test_kinds(&t);
        test_chunks(&t);
        test_weights(&t);
        test_scores(&t);
        test_extremes(&t);
        test_narrow(&t, &r);
    }
    gradient_close(t.g);
    spec_free(&spec);
}

/* Bytes go through a tile of fixed size; rows here are so wide that several tiles are needed. */
static void test_tiles(void)
{
    enum { N = 40, WIDE = 20000 };
    struct err e = { 0 };
    struct spec spec = { 0 };
    struct dims dims = { WIDE, 2, true, { 0 } };
    spec_parse(&spec, &model_table, "softmax", &e);
    struct gradient *g = gradient_open(&spec, &dims, &e);
    uint8_t *bytes = malloc(N * WIDE);
    float *x = malloc(sizeof(float[N * WIDE])), s[N * 2], t[N * 2];
    float *w = malloc(sizeof(float[2 * WIDE + 2]));
    size_t n = gradient_chunk(g) < N ? gradient_chunk(g) : N;
    for (size_t i = 0; i < N * WIDE; i++)
        x[i] = (float)(bytes[i] = (uint8_t)(i * 2654435761u >> 13)) * scale;
    for (size_t i = 0; i < 2 * WIDE + 2; i++)
        w[i] = (float)(i % 7) - 3;
    struct rows dense = { .kind = ROWS_DENSE, .n = n, .features = WIDE, .x = x };
    struct rows raw = { .kind = ROWS_BYTES, .n = n, .features = WIDE, .bytes = bytes, .scale = scale };
    gradient_scores(g, w, &dense, s);
    gradient_scores(g, w, &raw, t);
    bool same = true;
    for (size_t i = 0; i < 2 * n; i++)
        same &= fabsf(s[i] - t[i]) <= 1e-3f * fmaxf(1, fabsf(s[i]));
    ok(n > 65536 / WIDE && same, "rows of bytes that need several tiles score as floats do");
    free(w);
    free(x);
    free(bytes);
    gradient_close(g);
    spec_free(&spec);
}

int main(void)
{
    printf("# %s\n", gradient_blas());
    for (size_t i = 0; model_table.rows[i] != NULL; i++) {
        if (model_table.rows[i]->params != NULL)
            continue; /* a network: tests/nets.c */
        test_model(model_table.rows[i], true, i);
        test_model(model_table.rows[i], false, i);
    }
    test_tiles();
    return tap_done();
}
