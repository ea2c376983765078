/* A model ready to compute: the table of gradients over the engines. */
#include "learn/gradient.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/engine.h"

#define MODEL(name) extern const struct gradient_ops gradient_##name;
#include "learn/model.def"
#undef MODEL

static const struct gradient_ops *const gradient_rows[] = {
#define MODEL(name) &gradient_##name,
#include "learn/model.def"
#undef MODEL
};

struct gradient {
    const struct gradient_ops *ops;
    void *engine;
    size_t outputs; /* C */
    size_t size;    /* of w */
    size_t chunk;
    float *scores, *ds; /* (chunk, C) */
};

static const struct gradient_ops *find_row(const char *name)
{
    size_t i = 0;
    while (strcmp(gradient_rows[i]->name, name) != 0)
        i++; /* both tables come from model.def: it is there */
    return gradient_rows[i];
}

bool gradient_idle(const struct spec *model)
{
    return find_row(model->plug->name)->idle;
}

int gradient_known(const struct spec *model, struct err *e)
{
    if (find_row(model->plug->name)->engine != NULL)
        return 0;
    if (gradient_idle(model))
        return err_set(e, ERR_USAGE, "model %s: nothing is computed with it, it has nothing to score", model->plug->name);
    return err_set(e, ERR_USAGE, "model %s: nothing here computes with it, only the program that trained it (dsgd-worker --external)",
                   model->plug->name);
}

struct gradient *gradient_open(const struct spec *model, const struct dims *d, struct err *e)
{
    struct layout l;
    if (gradient_known(model, e) < 0 || model_layout(model, d, &l, e) < 0)
        return NULL;
    struct gradient *g = mem_new(1, sizeof *g, e);
    if (g == NULL)
        return NULL;
    gradient_blas();
    g->ops = find_row(model->plug->name);
    g->outputs = l.parts[l.n - 1].shape[0]; /* weights or biases of what makes the scores */
    g->size = l.size;
    g->engine = g->ops->engine->open(model->conf, d, g->outputs, &g->chunk, e);
    if (g->engine == NULL
        || (g->scores = mem_new(g->chunk * g->outputs, sizeof *g->scores, e)) == NULL
        || (g->ds = mem_new(g->chunk * g->outputs, sizeof *g->ds, e)) == NULL) {
        gradient_close(g);
        return NULL;
    }
    return g;
}

void gradient_close(struct gradient *g)
{
    if (g == NULL)
        return;
    free(g->ds);
    free(g->scores);
    if (g->engine != NULL)
        g->ops->engine->close(g->engine);
    free(g);
}

size_t gradient_chunk(const struct gradient *g)
{
    return g->chunk;
}

size_t gradient_outputs(const struct gradient *g)
{
    return g->outputs;
}

/* Derivatives of rows that count for more, or less, than one. */
static void weigh(struct gradient *g, const struct rows *block)
{
    for (size_t r = 0; block->weights != NULL && r < block->n; r++)
        for (size_t c = 0; c < g->outputs; c++)
            g->ds[r * g->outputs + c] *= block->weights[r];
}

void gradient_add(struct gradient *g, const float *w, const struct rows *block, float *sum,
                  double *loss)
{
    size_t outputs = g->outputs;
    double total = 0;
    g->ops->engine->scores(g->engine, w, block, g->scores);
    for (size_t r = 0; r < block->n; r++)
        total += rows_weight(block, r) *
                 g->ops->point(g->scores + r * outputs, outputs, block->labels[r], g->ds + r * outputs);
    weigh(g, block);
    g->ops->engine->add(g->engine, w, g->ds, block, sum);
    *loss += total;
}

bool gradient_smooth(const struct gradient *g)
{
    return g->ops->bend != NULL;
}

bool gradient_convex(const struct gradient *g)
{
    return g->ops->engine->square != NULL; /* scores are linear in w, and every loss is convex in them */
}

size_t gradient_of_features(const struct gradient *g)
{
    return gradient_convex(g) ? g->outputs : 0;
}

/* The scores are linear in w: their change along v is what v would score. */
void gradient_bend(struct gradient *g, const float *w, const float *v, const struct rows *block, float *sum)
{
    const struct engine_ops *engine = g->ops->engine;
    size_t outputs = g->outputs;
    engine->scores(g->engine, w, block, g->scores);
    engine->scores(g->engine, v, block, g->ds);
    for (size_t r = 0; r < block->n; r++)
        g->ops->bend(g->scores + r * outputs, outputs, g->ds + r * outputs);
    weigh(g, block);
    engine->add(g->engine, w, g->ds, block, sum);
}

static double square_of(const float *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i] * x[i];
    return sum;
}

static double linear_squares(struct gradient *g, const float *w, const struct rows *block)
{
    size_t outputs = g->outputs;
    double total = 0;
    g->ops->engine->scores(g->engine, w, block, g->scores);
    for (size_t r = 0; r < block->n; r++) {
        g->ops->point(g->scores + r * outputs, outputs, block->labels[r], g->ds);
        total += square_of(g->ds, outputs) * g->ops->engine->square(g->engine, block, r) *
                 rows_weight(block, r) * rows_weight(block, r);
    }
    return total;
}

double gradient_squares(struct gradient *g, const float *w, const struct rows *block, float *room)
{
    if (g->ops->engine->square != NULL)
        return linear_squares(g, w, block);
    double total = 0, loss = 0;
    for (size_t r = 0; r < block->n; r++) {
        struct rows one = rows_cut(block, r, 1);
        memset(room, 0, g->size * sizeof *room);
        gradient_add(g, w, &one, room, &loss);
        total += square_of(room, g->size);
    }
    return total;
}

void gradient_scores(struct gradient *g, const float *w, const struct rows *block, float *scores)
{
    g->ops->engine->scores(g->engine, w, block, scores);
}

double gradient_loss(const struct gradient *g, const float *scores, double y)
{
    return g->ops->point(scores, g->outputs, y, g->ds);
}

double gradient_predict(const struct gradient *g, const float *scores)
{
    return g->ops->predict(scores, g->outputs);
}

bool gradient_has_chances(const struct spec *model)
{
    return find_row(model->plug->name)->chances != NULL;
}

void gradient_chances(const struct gradient *g, const float *scores, double *p)
{
    g->ops->chances(scores, g->outputs, p);
}
