/* The gradient of one minibatch after the other, on the rows of one worker, in chunks. */
#include "run/compute.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/floats.h"
#include "base/mem.h"
#include "learn/gradient.h"
#include "run/listed.h"
#include "run/minibatch.h"

/* The rows of a worker. */
struct source_rows {
    const struct dataset *data;
    double *labels; /* (rows): class indices of the run, or targets */
    bool sparse;    /* all of them are */
};

struct compute {
    struct spec model;
    struct layout layout;
    struct gradient *gradient; /* NULL: another computes, or nobody */
    bool idle;                 /* nobody: losses and gradients are 0 */
    bool cleared;              /* and `into` is so */
    struct source_rows *source; /* (sources): of all workers */
    size_t sources, sources_cap;
    const struct source_rows *from; /* of the worker at work */
    struct minibatch minibatch;
    uint64_t most; /* b */
    uint64_t features;
    bool classes; /* labels are class indices of the run, not values */
    struct batch batch;
    float *w, *sum;    /* layout.size each; owned */
    const float *read; /* the parameters, and where the gradient goes: these or others */
    float *into;
    uint64_t *row; /* rows of the minibatch under way, `n` of them, `at` done */
    uint64_t row_room;
    size_t n, at;
    double loss; /* summed over those done */
    struct listed listed;   /* of sparse rows; its sum NULL: not asked for */
    bool lists;             /* the minibatch under way goes there, */
    struct entries entries; /* and becomes these */
    uint64_t *scored; /* (chunk): rows of which only the loss is asked; NULL before */
    float *scores;    /* (chunk, outputs) */
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

/* Whether labels are classes of the run: of a model that may take both when the run has classes. */
static bool has_classes(const struct compute *c, const struct classes *run)
{
    enum target target = model_row(&c->model)->target;
    return target == TARGET_ANY ? run->n > 0 : target != TARGET_REAL;
}

static int map_labels(struct compute *c, const struct source_rows *s, const struct classes *run,
                      struct err *e)
{
    const struct dataset *d = s->data;
    c->classes = has_classes(c, run);
    if (c->classes)
        return d->classes.named ? map_names(d, run, s->labels, e)
                                : map_values(d, run, s->labels, e);
    if (d->classes.named)
        return err_set(e, ERR_PEER, "%s: labels are words, the model wants numbers", d->name);
    memcpy(s->labels, d->labels, d->rows * sizeof *s->labels);
    return 0;
}

int compute_add(struct compute *c, const struct dataset *d, const struct classes *run,
                struct err *e)
{
    if (d->features > c->features)
        return err_set(e, ERR_PEER, "%s has %zu features, the run %" PRIu64, d->name, d->features,
                       c->features);
    if (mem_grow(&c->source, &c->sources_cap, c->sources + 1, sizeof *c->source, e) < 0)
        return -1;
    struct source_rows *s = &c->source[c->sources];
    *s = (struct source_rows){ .data = d, .labels = mem_new(d->rows, sizeof *s->labels, e) };
    if (s->labels == NULL)
        return -1;
    c->sources++;
    s->sparse = true;
    for (size_t i = 0; i < d->n_parts; i++)
        s->sparse = s->sparse && d->parts[i].kind == ROWS_SPARSE;
    return map_labels(c, s, run, e);
}

/* What the model is made of: by its SPEC, or as the server says. */
static int find_layout(struct compute *c, const struct welcome *w, struct dims *dims, struct err *e)
{
    *dims = (struct dims){ .features = w->features, .classes = w->classes.n, .bias = w->bias };
    if (image_parse(&dims->image, w->shape, e) < 0 || spec_parse(&c->model, &model_table, w->model, e) < 0)
        return -1;
    return json_is_array(w->tensors) ? layout_parse(&c->layout, w->tensors, e)
                              : model_layout(&c->model, dims, &c->layout, e);
}

static int open_gradient(struct compute *c, const struct dims *dims, bool outside, struct err *e)
{
    c->idle = !outside && gradient_idle(&c->model);
    if (outside || c->idle)
        return 0;
    c->gradient = gradient_open(&c->model, dims, e);
    return c->gradient == NULL ? -1 : 0;
}

static int open_model(struct compute *c, const struct welcome *w, bool outside, struct err *e)
{
    struct dims dims;
    if (find_layout(c, w, &dims, e) < 0 || layout_fits(&c->layout, COMPUTE_COPIES, e) < 0 ||
        open_gradient(c, &dims, outside, e) < 0) {
        e->kind = e->kind == ERR_SYSTEM ? ERR_SYSTEM : ERR_PEER;
        return err_ctx(e, "the server's model");
    }
    return 0;
}

static int open_all(struct compute *c, const struct welcome *w, bool outside, struct err *e)
{
    if (open_model(c, w, outside, e) < 0)
        return -1;
    c->most = w->batch;
    c->features = w->features;
    c->minibatch.seed = w->seed;
    c->w = mem_new(c->layout.size, sizeof *c->w, e);
    c->sum = mem_new(c->layout.size, sizeof *c->sum, e);
    c->read = c->w;
    c->into = c->sum;
    return c->w && c->sum ? 0 : -1;
}

static struct compute *open_empty(const struct welcome *w, bool outside, struct err *e)
{
    struct compute *c = mem_new(1, sizeof *c, e);
    if (c == NULL || open_all(c, w, outside, e) == 0)
        return c;
    compute_close(c);
    return NULL;
}

struct compute *compute_empty(const struct welcome *w, struct err *e)
{
    return open_empty(w, false, e);
}

struct compute *compute_open(const struct dataset *d, const struct welcome *w, struct err *e)
{
    struct compute *c = compute_empty(w, e);
    if (c != NULL && compute_add(c, d, &w->classes, e) == 0 && compute_as(c, 0, w->rank, e) == 0)
        return c;
    compute_close(c);
    return NULL;
}

/* Room for the rows of its minibatches: b, or all it has. */
static int take_rows(struct compute *c, uint64_t rows, uint64_t rank, struct err *e)
{
    c->minibatch.rank = rank;
    c->minibatch.rows = rows;
    c->minibatch.size = c->most < rows ? c->most : rows;
    if (c->minibatch.size <= c->row_room)
        return 0;
    free(c->row);
    c->row_room = c->minibatch.size;
    c->row = mem_new((size_t)c->row_room, sizeof *c->row, e);
    return c->row == NULL ? -1 : 0;
}

struct compute *compute_outside(const struct dataset *d, uint64_t rows, const struct welcome *w, struct err *e)
{
    struct compute *c = open_empty(w, true, e);
    if (c == NULL)
        return NULL;
    int rc = d->rows == 0 ? take_rows(c, rows, w->rank, e) : compute_add(c, d, &w->classes, e);
    if (rc == 0 && d->rows > 0)
        rc = compute_as(c, 0, w->rank, e);
    if (rc == 0)
        return c;
    compute_close(c);
    return NULL;
}

void compute_close(struct compute *c)
{
    if (c == NULL)
        return;
    batch_free(&c->batch);
    listed_close(&c->listed);
    free(c->scores);
    free(c->scored);
    free(c->row);
    free(c->sum);
    free(c->w);
    for (size_t i = 0; i < c->sources; i++)
        free(c->source[i].labels);
    free(c->source);
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

int compute_as(struct compute *c, size_t source, uint64_t rank, struct err *e)
{
    c->from = &c->source[source];
    return take_rows(c, c->from->data->rows, rank, e);
}

void compute_with(struct compute *c, const float *w, float *g)
{
    c->read = w;
    c->into = g;
    c->cleared = false;
}

void compute_begin(struct compute *c, uint64_t seq)
{
    c->n = c->idle ? (size_t)minibatch_size(&c->minibatch, seq) : minibatch_rows(&c->minibatch, seq, c->row);
    c->at = 0;
    c->loss = 0;
    c->lists = compute_lists(c);
    if (!c->lists && !c->cleared)
        memset(c->into, 0, c->layout.size * sizeof *c->into);
    c->cleared = c->idle;
}

bool compute_lists(const struct compute *c)
{
    return c->listed.sum != NULL && c->from->sparse;
}

int compute_sparsely(struct compute *c, struct err *e)
{
    size_t outputs = c->gradient != NULL ? gradient_of_features(c->gradient) : 0, features = (size_t)c->features;
    if (outputs == 0 || c->layout.size > UINT32_MAX)
        return 0;
    return listed_open(&c->listed, outputs, features, c->layout.size - outputs * features, e);
}

static void to_mean(struct compute *c)
{
    floats_divide(c->into, c->layout.size, (float)c->n);
}

int compute_chunk(struct compute *c, struct err *e)
{
    if (c->idle)
        return 0;
    size_t n = c->n - c->at, most = gradient_chunk(c->gradient);
    if (n > most)
        n = most;
    if (batch_gather(&c->batch, c->from->data, c->row + c->at, n, c->from->labels, e) < 0)
        return -1;
    bool left = c->lists && c->at == 0; /* there may be a minibatch that was left */
    if ((left && listed_forget(&c->listed, e) < 0) || (c->lists && listed_meet(&c->listed, &c->batch.rows, e) < 0))
        return -1;
    gradient_add(c->gradient, c->read, &c->batch.rows, c->lists ? c->listed.sum : c->into, &c->loss);
    c->at += n;
    if (c->at < c->n)
        return 1;
    if (c->lists)
        return listed_mean(&c->listed, c->n, &c->entries, e);
    to_mean(c);
    return 0;
}

struct entries compute_entries(const struct compute *c, uint64_t *rows, double *loss)
{
    const float *all = compute_gradient(c, rows, loss);
    return c->lists ? c->entries : (struct entries){ NULL, all, c->layout.size };
}

const float *compute_spread(struct compute *c)
{
    if (c->lists)
        entries_spread(&c->entries, c->into, c->layout.size);
    return c->into;
}

const float *compute_gradient(const struct compute *c, uint64_t *rows, double *loss)
{
    *rows = c->n;
    *loss = c->loss / (double)c->n;
    return c->into;
}

const struct layout *compute_layout(const struct compute *c)
{
    return &c->layout;
}

int compute_task(struct compute *c, struct task *t, struct err *e)
{
    *t = (struct task){ .n = c->n, .row = c->row, .features = c->features, .w = c->read };
    if (c->from == NULL)
        return 0;
    const struct dataset *d = c->from->data;
    const double *mapped = c->from->labels;
    if (batch_gather(&c->batch, d, c->row, c->n, c->classes && d->classes.named ? mapped : NULL, e) < 0)
        return -1;
    t->block = &c->batch.rows;
    t->classes = c->classes ? mapped : NULL;
    return 0;
}

float *compute_into(struct compute *c)
{
    return c->into;
}

void compute_done(struct compute *c, uint64_t rows, double loss)
{
    c->n = (size_t)rows;
    c->loss = loss * (double)rows;
}

void compute_reseed(struct compute *c, uint64_t seed)
{
    c->minibatch.seed = seed;
}

static int open_scores(struct compute *c, struct err *e)
{
    size_t chunk = gradient_chunk(c->gradient);
    if (c->scored != NULL)
        return 0;
    c->scores = mem_new(chunk * gradient_outputs(c->gradient), sizeof *c->scores, e);
    c->scored = c->scores != NULL ? mem_new(chunk, sizeof *c->scored, e) : NULL;
    return c->scored == NULL ? -1 : 0;
}

int compute_losses(struct compute *c, const float *w, uint64_t first, uint64_t stride, double *sum,
                   uint64_t *rows, struct err *e)
{
    if (c->idle) {
        *rows += first < c->from->data->rows ? (c->from->data->rows - first - 1) / stride + 1 : 0;
        return 0;
    }
    size_t chunk = gradient_chunk(c->gradient), outputs = gradient_outputs(c->gradient);
    if (open_scores(c, e) < 0)
        return -1;
    for (uint64_t at = first; at < c->from->data->rows;) {
        size_t n = 0;
        for (; n < chunk && at < c->from->data->rows; at += stride)
            c->scored[n++] = at;
        if (batch_gather(&c->batch, c->from->data, c->scored, n, c->from->labels, e) < 0)
            return -1;
        gradient_scores(c->gradient, w, &c->batch.rows, c->scores);
        for (size_t i = 0; i < n; i++)
            *sum += rows_weight(&c->batch.rows, i) * gradient_loss(c->gradient, c->scores + i * outputs, c->batch.labels[i]);
        *rows += n;
    }
    return 0;
}
