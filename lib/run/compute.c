/* The gradient of one minibatch after the other, on the rows of one worker, in chunks. */
#include "run/compute.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/gradient.h"
#include "run/minibatch.h"

struct compute {
    const struct dataset *data;
    struct spec model;
    struct layout layout;
    struct gradient *gradient;
    struct minibatch minibatch;
    struct batch batch;
    double *labels; /* (rows): class indices of the run, or targets */
    float *w, *sum; /* layout.size each */
    uint64_t *row;  /* rows of the minibatch under way, `n` of them, `at` done */
    size_t n, at;
    double loss; /* summed over those done */
};

static int unknown_label(const struct dataset *d, double value, const char *name, struct err *e)
{
    if (name != NULL)
        return err_set(e, ERR_PEER, "%s: label '%s' is no class of this run", d->name, name);
    return err_set(e, ERR_PEER, "%s: label %g is no class of this run", d->name, value);
}

/* Labels that are indices among the data set's own names, to indices among the run's. */
static int map_names(const struct dataset *d, const struct classes *run, double *labels,
                     struct err *e)
{
    for (size_t i = 0; i < d->rows; i++) {
        const char *name = d->classes.v[(size_t)d->labels[i]].name;
        long index = classes_find_name(run, name);
        if (index < 0)
            return unknown_label(d, 0, name, e);
        labels[i] = (double)index;
    }
    return 0;
}

static int map_values(const struct dataset *d, const struct classes *run, double *labels,
                      struct err *e)
{
    for (size_t i = 0; i < d->rows; i++) {
        long index = classes_find_value(run, d->labels[i]);
        if (index < 0)
            return unknown_label(d, d->labels[i], NULL, e);
        labels[i] = (double)index;
    }
    return 0;
}

static int map_labels(struct compute *c, const struct welcome *w, struct err *e)
{
    const struct dataset *d = c->data;
    c->labels = mem_new(d->rows, sizeof *c->labels, e);
    if (c->labels == NULL)
        return -1;
    if (model_row(&c->model)->target != TARGET_REAL)
        return d->classes.named ? map_names(d, &w->classes, c->labels, e)
                                : map_values(d, &w->classes, c->labels, e);
    if (d->classes.named)
        return err_set(e, ERR_PEER, "%s: labels are words, the model wants numbers", d->name);
    memcpy(c->labels, d->labels, d->rows * sizeof *c->labels);
    return 0;
}

static int open_model(struct compute *c, const struct welcome *w, struct err *e)
{
    struct dims dims = { w->features, w->classes.n, w->bias };
    if (spec_parse(&c->model, &model_table, w->model, e) < 0 ||
        model_layout(&c->model, &dims, &c->layout, e) < 0 ||
        (c->gradient = gradient_open(&c->model, &dims, e)) == NULL) {
        e->kind = e->kind == ERR_SYSTEM ? ERR_SYSTEM : ERR_PEER;
        return err_ctx(e, "the server's model");
    }
    return 0;
}

static int open_all(struct compute *c, const struct welcome *w, struct err *e)
{
    const struct dataset *d = c->data;
    if (d->features > w->features)
        return err_set(e, ERR_PEER, "%s has %zu features, the run %" PRIu64, d->name, d->features,
                       w->features);
    if (open_model(c, w, e) < 0 || map_labels(c, w, e) < 0)
        return -1;
    uint64_t size = w->batch < d->rows ? w->batch : d->rows;
    c->minibatch = (struct minibatch){ w->seed, w->rank, d->rows, size };
    c->w = mem_new(c->layout.size, sizeof *c->w, e);
    c->sum = mem_new(c->layout.size, sizeof *c->sum, e);
    c->row = mem_new((size_t)size, sizeof *c->row, e);
    return c->w && c->sum && c->row ? 0 : -1;
}

struct compute *compute_open(const struct dataset *d, const struct welcome *w, struct err *e)
{
    struct compute *c = mem_new(1, sizeof *c, e);
    if (c == NULL)
        return NULL;
    c->data = d;
    if (open_all(c, w, e) == 0)
        return c;
    compute_close(c);
    return NULL;
}

void compute_close(struct compute *c)
{
    if (c == NULL)
        return;
    batch_free(&c->batch);
    free(c->row);
    free(c->sum);
    free(c->w);
    free(c->labels);
    gradient_close(c->gradient);
    spec_free(&c->model);
    free(c);
}

size_t compute_size(const struct compute *c)
{
    return c->layout.size;
}

float *compute_w(struct compute *c)
{
    return c->w;
}

void compute_begin(struct compute *c, uint64_t seq)
{
    c->n = minibatch_rows(&c->minibatch, seq, c->row);
    c->at = 0;
    c->loss = 0;
    memset(c->sum, 0, c->layout.size * sizeof *c->sum);
}

static void to_mean(struct compute *c)
{
    float rows = (float)c->n;
    for (size_t i = 0; i < c->layout.size; i++)
        c->sum[i] /= rows;
}

int compute_chunk(struct compute *c, struct err *e)
{
    size_t n = c->n - c->at, most = gradient_chunk(c->gradient);
    if (n > most)
        n = most;
    if (batch_gather(&c->batch, c->data, c->row + c->at, n, c->labels, e) < 0)
        return -1;
    gradient_add(c->gradient, c->w, &c->batch.rows, c->sum, &c->loss);
    c->at += n;
    if (c->at < c->n)
        return 1;
    to_mean(c);
    return 0;
}

const float *compute_gradient(const struct compute *c, uint64_t *rows, double *loss)
{
    *rows = c->n;
    *loss = c->loss / (double)c->n;
    return c->sum;
}
