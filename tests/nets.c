/* Gradients of networks, layer by layer, against central differences of the same networks written here
 * once more, plainly and in double precision; and that kinds of rows and chunks make no difference. */
#include "learn/gradient.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "lib/tap.h"

enum { ROWS = 24, FEATURES = 300, PARAMETERS = 4000, WIDE = 2000, LAYERS = 8 };

/* A layer of the reference: 'd'ense, 'c'onvolution or 'p'ool. */
struct ref_layer {
    char kind;
    int outputs, side;
};

static const struct network {
    const char *spec;
    int channels, height, width; /* of the rows */
    int classes, rows;
    struct ref_layer layer[LAYERS]; /* without the last */
} networks[] = {
    { "mlp:7", 13, 1, 1, 3, 9, { { 'd', 7, 0 } } },
    { "mlp:16,5", 8, 1, 1, 2, 1, { { 'd', 16, 0 }, { 'd', 5, 0 } } },
    { "mlp:1,33,2", 19, 1, 1, 5, 24, { { 'd', 1, 0 }, { 'd', 33, 0 }, { 'd', 2, 0 } } },
    { "cnn:conv=3x3", 1, 4, 5, 3, 5, { { 'c', 3, 3 } } },
    { "cnn:conv=9x1,pool=2", 2, 5, 4, 2, 1, { { 'c', 9, 1 }, { 'p', 0, 2 } } },
    { "cnn:conv=4x4,conv=8x5,dense=6", 3, 6, 7, 4, 7,
      { { 'c', 4, 4 }, { 'c', 8, 5 }, { 'd', 6, 0 } } },
    { "cnn:conv=5x3,pool=2,conv=18x2,pool=3,dense=7", 2, 13, 8, 5, 11,
      { { 'c', 5, 3 }, { 'p', 0, 2 }, { 'c', 18, 2 }, { 'p', 0, 3 }, { 'd', 7, 0 } } },
    { "cnn:pool=2,conv=2x7,dense=4,dense=3", 1, 9, 10, 3, 6,
      { { 'p', 0, 2 }, { 'c', 2, 7 }, { 'd', 4, 0 }, { 'd', 3, 0 } } },
};

/* The same rows in every kind. */
struct data {
    float x[ROWS * FEATURES];
    uint8_t bytes[ROWS * FEATURES];
    int64_t indptr[ROWS + 1];
    int32_t indices[ROWS * FEATURES];
    float values[ROWS * FEATURES];
    double labels[ROWS];
};

struct test {
    const struct network *net;
    size_t rows, features;
    bool bias;
    struct gradient *g;
    struct layout layout;
    struct data data;
    float w[PARAMETERS];
    char name[100]; /* what tests say they are about */
};

static const float scale = 1 / 255.0f;

/* Numbers that go through the reference: (channels, height, width). */
struct signal {
    int channels, height, width;
    double v[WIDE];
};

static int size_of(const struct signal *s)
{
    return s->channels * s->height * s->width;
}

/* Of a plane with zeros all around. */
static double at(const struct signal *s, int c, int y, int x)
{
    bool inside = y >= 0 && y < s->height && x >= 0 && x < s->width;
    return inside ? s->v[(c * s->height + y) * s->width + x] : 0;
}

static double dense_at(const struct signal *in, const double *w)
{
    double sum = 0;
    for (int i = 0; i < size_of(in); i++)
        sum += w[i] * in->v[i];
    return sum;
}

/* The square around a place; of an even side the place is left and above of its middle. */
static double conv_at(const struct signal *in, const double *w, int side, int y, int x)
{
    int before = (side - 1) / 2;
    double sum = 0;
    for (int c = 0; c < in->channels; c++)
        for (int i = 0; i < side; i++)
            for (int j = 0; j < side; j++)
                sum += *w++ * at(in, c, y + i - before, x + j - before);
    return sum;
}

static double pool_at(const struct signal *in, int side, int c, int y, int x)
{
    double most = -INFINITY;
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++)
            most = fmax(most, at(in, c, y * side + i, x * side + j));
    return most;
}

/* One layer; returns where the next one's parameters begin. */
static const double *ref_layer(const struct ref_layer *l, const struct signal *in, const double *w,
                               bool bias, bool last, struct signal *out)
{
    bool pool = l->kind == 'p', dense = l->kind == 'd';
    int inputs = dense ? size_of(in) : in->channels * l->side * l->side;
    out->channels = pool ? in->channels : l->outputs;
    out->height = dense ? 1 : pool ? in->height / l->side : in->height;
    out->width = dense ? 1 : pool ? in->width / l->side : in->width;
    double *v = out->v;
    for (int c = 0; c < out->channels; c++)
        for (int y = 0; y < out->height; y++)
            for (int x = 0; x < out->width; x++, v++) {
                if (pool) {
                    *v = pool_at(in, l->side, c, y, x);
                    continue;
                }
                const double *mine = w + c * inputs;
                *v = dense ? dense_at(in, mine) : conv_at(in, mine, l->side, y, x);
                *v += bias ? w[l->outputs * inputs + c] : 0;
                *v = last ? *v : fmax(*v, 0);
            }
    return pool ? w : w + l->outputs * inputs + (bias ? l->outputs : 0);
}

static double ref_row(const struct test *t, const double *w, size_t row)
{
    const struct network *net = t->net;
    static struct signal one, two;
    struct signal *in = &one, *out = &two;
    struct ref_layer last = { 'd', net->classes, 0 };
    in->channels = net->channels, in->height = net->height, in->width = net->width;
    for (size_t k = 0; k < t->features; k++)
        in->v[k] = t->data.x[row * t->features + k];
    for (const struct ref_layer *l = net->layer; l->kind != 0; l++) {
        w = ref_layer(l, in, w, t->bias, false, out);
        struct signal *next = in;
        in = out, out = next;
    }
    ref_layer(&last, in, w, t->bias, true, out);
    double sum = 0;
    for (int c = 0; c < net->classes; c++)
        sum += exp(out->v[c]);
    return log(sum) - out->v[(int)t->data.labels[row]];
}

static double ref_total(const struct test *t, const double *w)
{
    double total = 0;
    for (size_t r = 0; r < t->rows; r++)
        total += ref_row(t, w, r);
    return total;
}

static void wide(const struct test *t, double *w)
{
    for (size_t i = 0; i < t->layout.size; i++)
        w[i] = t->w[i];
}

static void differences(const struct test *t, double *g)
{
    const double h = 1e-6;
    static double w[PARAMETERS];
    wide(t, w);
    for (size_t i = 0; i < t->layout.size; i++) {
        w[i] = t->w[i] + h;
        double above = ref_total(t, w);
        w[i] = t->w[i] - h;
        g[i] = (above - ref_total(t, w)) / (2 * h);
        w[i] = t->w[i];
    }
}

static struct rows block(const struct test *t, enum rows_kind kind, size_t from, size_t to)
{
    const struct data *d = &t->data;
    return (struct rows){ .kind = kind,
                          .n = to - from,
                          .features = t->features,
                          .x = d->x + from * t->features,
                          .bytes = d->bytes + from * t->features,
                          .scale = scale,
                          .indptr = d->indptr + from,
                          .indices = d->indices,
                          .values = d->values,
                          .labels = d->labels + from };
}

/* The gradient of all rows, in pieces of `step` rows. */
static double gradient(const struct test *t, enum rows_kind kind, size_t step, float *sum)
{
    double loss = 0;
    memset(sum, 0, sizeof(float[PARAMETERS]));
    for (size_t from = 0; from < t->rows; from += step) {
        struct rows b = block(t, kind, from, from + step < t->rows ? from + step : t->rows);
        gradient_add(t->g, t->w, &b, sum, &loss);
    }
    return loss;
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

static bool all_same(const struct test *t, const float *a, const float *b)
{
    static double other[PARAMETERS];
    for (size_t i = 0; i < t->layout.size; i++)
        other[i] = b[i];
    return all_near(a, other, t->layout.size, 16 * FLT_EPSILON);
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 2e-6 * fmax(fabs(a), fabs(b));
}

static void test_differences(const struct test *t)
{
    static double want[PARAMETERS], w[PARAMETERS];
    static float got[PARAMETERS];
    differences(t, want);
    double loss = gradient(t, ROWS_DENSE, t->rows, got);
    for (size_t i = 0; i < t->layout.n; i++) {
        const struct part *p = &t->layout.parts[i];
        ok(all_near(got + p->offset, want + p->offset, p->size, 2e-5),
           "%s: the gradient of %s agrees with differences", t->name, p->name);
    }
    wide(t, w);
    ok(near(loss, ref_total(t, w)), "%s: the loss agrees with the reference", t->name);
}

static void test_kinds(const struct test *t)
{
    static float dense[PARAMETERS], other[PARAMETERS];
    double loss = gradient(t, ROWS_DENSE, t->rows, dense);
    ok(near(loss, gradient(t, ROWS_SPARSE, t->rows, other)) && all_same(t, other, dense),
       "%s: sparse rows give what dense rows give", t->name);
    ok(near(loss, gradient(t, ROWS_BYTES, t->rows, other)) && all_same(t, other, dense),
       "%s: rows of bytes give what dense rows give", t->name);
}

/* Also a row alone, and that nothing stays from the block before. */
static void test_chunks(const struct test *t)
{
    static const size_t steps[] = { 1, 2, 7 };
    static float whole[PARAMETERS], cut[PARAMETERS];
    bool same = true;
    double loss = gradient(t, ROWS_DENSE, t->rows, whole);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        same &= near(loss, gradient(t, ROWS_DENSE, steps[i], cut)) && all_same(t, cut, whole);
    ok(same, "%s: chunks add up to the whole", t->name);
    gradient(t, ROWS_DENSE, t->rows, cut);
    ok(memcmp(cut, whole, sizeof cut) == 0, "%s: the same again is the same bits", t->name);
}

/* A network through which nothing comes but what is no number has no loss. */
static void test_no_number(struct test *t)
{
    static float sum[PARAMETERS];
    float was = t->w[0];
    t->w[0] = NAN;
    bool none = isnan(gradient(t, ROWS_DENSE, t->rows, sum));
    t->w[0] = was;
    ok(none, "%s: parameters that are no number have no loss", t->name);
}

/* A third of the values are zero; labels run through all classes. */
static void fill_data(struct test *t, struct rng *r)
{
    struct data *d = &t->data;
    size_t nonzero = 0;
    for (size_t i = 0; i < t->rows; i++) {
        d->indptr[i] = (int64_t)nonzero;
        d->labels[i] = (double)(i % (size_t)t->net->classes);
        for (size_t k = 0; k < t->features; k++) {
            uint8_t byte = rng_u32(r) % 3 ? (uint8_t)(1 + rng_u32(r) % 255) : 0;
            d->bytes[i * t->features + k] = byte;
            d->x[i * t->features + k] = (float)byte * scale;
            if (byte == 0)
                continue;
            d->indices[nonzero] = (int32_t)k;
            d->values[nonzero++] = (float)byte * scale;
        }
    }
    d->indptr[t->rows] = (int64_t)nonzero;
}

/* Weights as networks start, biases near 0.2, so that most units let something through. */
static void fill_parameters(struct test *t, struct rng *r)
{
    struct spec none = { 0 };
    struct err e = { 0 };
    init_fill(&none, &t->layout, 3, t->w, &e);
    for (size_t i = 0; i < t->layout.n; i++)
        for (size_t k = 0; !t->layout.parts[i].penalised && k < t->layout.parts[i].size; k++)
            t->w[t->layout.parts[i].offset + k] = (float)(0.2 + 0.1 * rng_normal(r));
}

static void test_network(const struct network *net, bool bias)
{
    static struct test t;
    struct err e = { 0 };
    struct spec spec = { 0 };
    struct rng r;
    rng_open(&r, 1, RNG_SHUFFLE, bias, (uint64_t)net->height);
    t.net = net;
    t.bias = bias;
    t.rows = (size_t)net->rows;
    t.features = (size_t)(net->channels * net->height * net->width);
    struct dims dims = { t.features, (uint64_t)net->classes, bias,
                         { (uint64_t)net->height, (uint64_t)net->width, (uint64_t)net->channels } };
    snprintf(t.name, sizeof t.name, "%s %s bias", net->spec, bias ? "with" : "without");
    bool opens = spec_parse(&spec, &model_table, net->spec, &e) == 0
                 && model_layout(&spec, &dims, &t.layout, &e) == 0
                 && (t.g = gradient_open(&spec, &dims, &e)) != NULL;
    if (ok(opens && t.layout.size <= PARAMETERS && gradient_chunk(t.g) >= t.rows, "%s: opens", t.name)) {
        fill_data(&t, &r);
        fill_parameters(&t, &r);
        test_differences(&t);
        test_kinds(&t);
        test_chunks(&t);
        test_no_number(&t);
    } else {
        printf("# %s\n", e.text);
    }
    gradient_close(t.g);
    spec_free(&spec);
}

/* A minibatch of one chunk exactly, of more and of less: workspaces end where they should (valgrind). */
static void test_full_chunk(void)
{
    enum { D = 50 };
    struct err e = { 0 };
    struct spec spec = { 0 };
    struct dims dims = { D, 3, true, { 0 } };
    struct layout l;
    spec_parse(&spec, &model_table, "mlp:9", &e);
    model_layout(&spec, &dims, &l, &e);
    struct gradient *g = gradient_open(&spec, &dims, &e);
    size_t n = gradient_chunk(g);
    float *x = calloc(n * D, sizeof *x), *w = calloc(l.size, sizeof *w), *sum = calloc(l.size, sizeof *sum);
    double *labels = calloc(n, sizeof *labels), loss = 0;
    struct rows rows = { .kind = ROWS_DENSE, .n = n, .features = D, .x = x, .labels = labels };
    gradient_add(g, w, &rows, sum, &loss);
    ok(near(loss, (double)n * log(3)), "a full chunk of zeros has the loss of a guess");
    free(labels);
    free(sum);
    free(w);
    free(x);
    gradient_close(g);
    spec_free(&spec);
}

int main(void)
{
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++) {
        test_network(&networks[i], true);
        test_network(&networks[i], false);
    }
    test_full_chunk();
    return tap_done();
}
