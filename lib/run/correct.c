/* What happens to one gradient on its way into the sum: clip, compensate, weigh. */
#include "run/correct.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/* Delay compensation (Zheng et al. 2017): g + lambda g*g*(w_j - w_tau), what the worker read kept per
 * worker (THEORY 7). */
struct dc {
    double lambda;
};
static const struct param dc_params[] = {
    { "lambda", set_nonneg, offsetof(struct dc, lambda), "0.04", "strength" },
    { 0 },
};
static const struct plug dc = { .name = "dc",
                                .help = "delay compensation: g + lambda g g (w now - w read)",
                                .params = dc_params,
                                .conf = sizeof(struct dc) };
static const struct plug *const rows[] = { &dc, NULL };
const struct table correct_table = { "correction", rows };

struct correct {
    size_t n;
    double clip, lambda;
    uint64_t workers;
    const struct step_ops *step;
    const void *step_conf;
    float *g; /* (n) the gradient as corrected; NULL when nothing can be asked for */
};

struct correct *correct_open(const struct correct_conf *conf, size_t n, struct err *e)
{
    struct correct *c = mem_new(1, sizeof *c, e);
    if (c == NULL)
        return NULL;
    *c = (struct correct){ .n = n, .clip = conf->clip, .workers = conf->workers };
    c->step = (const struct step_ops *)conf->step->plug;
    c->step_conf = conf->step->conf;
    if (conf->method != NULL && conf->method->plug != NULL)
        c->lambda = ((const struct dc *)conf->method->conf)->lambda;
    if (c->clip == 0 && c->lambda == 0 && c->step->weight == NULL)
        return c;
    c->g = mem_new(n, sizeof *c->g, e);
    if (c->g != NULL)
        return c;
    free(c);
    return NULL;
}

void correct_close(struct correct *c)
{
    if (c == NULL)
        return;
    free(c->g);
    free(c);
}

int correct_set_step(struct correct *c, const struct spec *step, bool read, struct err *e)
{
    const struct step_ops *ops = (const struct step_ops *)step->plug;
    if (ops->distance && !read)
        return err_set(e, ERR_USAGE, "step '%s' needs what workers read, which is kept from the start or not at all",
                       step->text);
    if (ops->weight != NULL && c->g == NULL)
        c->g = mem_new(c->n, sizeof *c->g, e);
    if (ops->weight != NULL && c->g == NULL)
        return -1;
    c->step = ops;
    c->step_conf = step->conf;
    return 0;
}

bool correct_needs_read(const struct correct *c)
{
    return c->lambda != 0 || c->step->distance;
}

/* Factor that brings the gradient's norm down to the largest one. */
static double clip(const struct correct *c, const struct entries *g)
{
    double square = 0;
    if (c->clip == 0)
        return 1;
    for (size_t k = 0; k < g->n; k++)
        square += (double)g->value[k] * g->value[k];
    return square > c->clip * c->clip ? c->clip / sqrt(square) : 1;
}

static double weight(const struct correct *c, const float *w, const float *read, uint64_t staleness)
{
    if (c->step->weight == NULL)
        return 1;
    struct stale s = { .staleness = staleness, .workers = c->workers };
    for (size_t i = 0; c->step->distance && i < c->n; i++)
        s.distance += ((double)w[i] - read[i]) * ((double)w[i] - read[i]);
    return c->step->weight(c->step_conf, &s);
}

struct entries correct_gradient(struct correct *c, struct entries g, const float *w, const float *read,
                                uint64_t staleness)
{
    if (c->g == NULL)
        return g;
    double by = clip(c, &g), part = weight(c, w, read, staleness);
    for (size_t k = 0; k < g.n; k++) {
        const size_t i = g.index == NULL ? k : g.index[k];
        double x = by * g.value[k];
        if (c->lambda != 0)
            x += c->lambda * x * x * ((double)w[i] - read[i]);
        c->g[k] = (float)(part * x);
    }
    return (struct entries){ g.index, c->g, g.n };
}
