/* A model ready to compute: the table of gradients over the linear engine. */
#include "learn/gradient.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/linear.h"

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
    struct linear linear;
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

struct gradient *gradient_open(const struct spec *model, const struct dims *d, struct err *e)
{
    struct layout l;
    if (model_layout(model, d, &l, e) < 0)
        return NULL;
    struct gradient *g = mem_new(1, sizeof *g, e);
    if (g == NULL)
        return NULL;
    size_t outputs = l.parts[0].shape[0];
    gradient_blas();
    g->ops = find_row(model->plug->name);
    g->chunk = chunk_of(outputs, d->features);
    if (linear_open(&g->linear, outputs, d->features, d->bias, e) < 0
        || (g->scores = mem_new(g->chunk * outputs, sizeof *g->scores, e)) == NULL
        || (g->ds = mem_new(g->chunk * outputs, sizeof *g->ds, e)) == NULL) {
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
    linear_close(&g->linear);
    free(g);
}

size_t gradient_chunk(const struct gradient *g)
{
    return g->chunk;
}

size_t gradient_outputs(const struct gradient *g)
{
    return g->linear.outputs;
}

void gradient_add(struct gradient *g, const float *w, const struct rows *block, float *sum,
                  double *loss)
{
    size_t outputs = g->linear.outputs;
    double total = 0;
    linear_scores(&g->linear, w, block, g->scores);
    for (size_t r = 0; r < block->n; r++)
        total += g->ops->point(g->scores + r * outputs, outputs, block->labels[r],
                               g->ds + r * outputs);
    linear_add(&g->linear, g->ds, block, sum);
    *loss += total;
}

bool gradient_smooth(const struct gradient *g)
{
    return g->ops->bend != NULL;
}

/* The scores are linear in w: their change along v is what v would score. */
void gradient_bend(struct gradient *g, const float *w, const float *v, const struct rows *block, float *sum)
{
    size_t outputs = g->linear.outputs;
    linear_scores(&g->linear, w, block, g->scores);
    linear_scores(&g->linear, v, block, g->ds);
    for (size_t r = 0; r < block->n; r++)
        g->ops->bend(g->scores + r * outputs, outputs, g->ds + r * outputs);
    linear_add(&g->linear, g->ds, block, sum);
}

double gradient_squares(struct gradient *g, const float *w, const struct rows *block)
{
    size_t outputs = g->linear.outputs;
    double total = 0;
    linear_scores(&g->linear, w, block, g->scores);
    for (size_t r = 0; r < block->n; r++) {
        double square = 0;
        g->ops->point(g->scores + r * outputs, outputs, block->labels[r], g->ds);
        for (size_t c = 0; c < outputs; c++)
            square += (double)g->ds[c] * g->ds[c];
        total += square * linear_square(&g->linear, block, r);
    }
    return total;
}

void gradient_scores(struct gradient *g, const float *w, const struct rows *block, float *scores)
{
    linear_scores(&g->linear, w, block, scores);
}

double gradient_loss(const struct gradient *g, const float *scores, double y)
{
    return g->ops->point(scores, g->linear.outputs, y, g->ds);
}

double gradient_predict(const struct gradient *g, const float *scores)
{
    return g->ops->predict(scores, g->linear.outputs);
}
