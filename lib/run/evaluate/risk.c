/* The objective on a data set: its value, slope, curvature and noise. */
#include "run/evaluate/risk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/evaluate/walk.h"

enum { DRAIN_ROWS = 1 << 11 }; /* rows that are added up in floats */

int risk_open(struct risk *r, const struct model *m, const struct dataset *d, const double *y, double l2,
              struct err *e)
{
    size_t n = m->layout.size;
    r->layout = &m->layout;
    r->data = d;
    r->y = y;
    r->l2 = l2;
    r->size = n;
    r->gradient = gradient_open(&m->spec, &m->dims, e);
    return r->gradient == NULL || (r->w = mem_new(n, sizeof *r->w, e)) == NULL ||
                   (r->v = mem_new(n, sizeof *r->v, e)) == NULL ||
                   (r->sum = mem_new(n, sizeof *r->sum, e)) == NULL
               ? -1
               : 0;
}

void risk_close(struct risk *r)
{
    free(r->sum);
    free(r->v);
    free(r->w);
    gradient_close(r->gradient);
    *r = (struct risk){ 0 };
}

static void to_floats(float *to, const double *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (float)from[i];
}

/* The sum of floats into that of doubles. */
static void drain(struct risk *r)
{
    for (size_t i = 0; i < r->size; i++)
        r->total[i] += (double)r->sum[i];
    memset(r->sum, 0, r->size * sizeof *r->sum);
    r->rows = 0;
}

static void count(struct risk *r, size_t rows)
{
    r->rows += rows;
    if (r->rows >= DRAIN_ROWS)
        drain(r);
}

/* All rows through a sink; `total` becomes the mean of what it summed. */
static void pass(struct risk *r, walk_sink *sink, double *total)
{
    r->total = total;
    r->loss = 0;
    memset(total, 0, r->size * sizeof *total);
    memset(r->sum, 0, r->size * sizeof *r->sum);
    walk_rows(r->data, r->y, gradient_chunk(r->gradient), sink, r);
    drain(r);
    for (size_t i = 0; i < r->size; i++)
        total[i] /= (double)r->data->rows;
    if (r->heard)
        r->heard(r->self);
}

/* to += l2 v, where v is penalised. Returns ||v||^2 there. */
static double penalise(const struct risk *r, const double *v, double *to)
{
    double square = 0;
    for (const struct part *p = r->layout->parts; p < r->layout->parts + r->layout->n; p++)
        for (size_t i = p->offset; p->penalised && i < p->offset + p->size; i++) {
            to[i] += r->l2 * v[i];
            square += v[i] * v[i];
        }
    return square;
}

static void slope_block(void *self, const struct rows *block, size_t first)
{
    struct risk *r = self;
    (void)first;
    gradient_add(r->gradient, r->w, block, r->sum, &r->loss);
    count(r, block->n);
}

double risk_slope(struct risk *r, const double *w, double *gradient, double *loss)
{
    to_floats(r->w, w, r->size);
    pass(r, slope_block, gradient);
    double mean = r->loss / (double)r->data->rows;
    if (loss)
        *loss = mean;
    return mean + r->l2 / 2 * penalise(r, w, gradient);
}

static void bend_block(void *self, const struct rows *block, size_t first)
{
    struct risk *r = self;
    (void)first;
    gradient_bend(r->gradient, r->w, r->v, block, r->sum);
    count(r, block->n);
}

void risk_bend(struct risk *r, const double *w, const double *v, double *hv)
{
    to_floats(r->w, w, r->size);
    to_floats(r->v, v, r->size);
    pass(r, bend_block, hv);
    penalise(r, v, hv);
}

static void noise_block(void *self, const struct rows *block, size_t first)
{
    struct risk *r = self;
    slope_block(self, block, first);
    r->squares += gradient_squares(r->gradient, r->w, block, r->v);
}

/* sum ||g_i - g||^2 = sum ||g_i||^2 - n ||g||^2 */
double risk_noise(struct risk *r, const double *w, double *gradient)
{
    double n = (double)r->data->rows, square = 0;
    to_floats(r->w, w, r->size);
    r->squares = 0;
    pass(r, noise_block, gradient);
    for (size_t i = 0; i < r->size; i++)
        square += gradient[i] * gradient[i];
    return fmax(0, r->squares - n * square) / (n - 1);
}
