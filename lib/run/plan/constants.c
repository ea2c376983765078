/* What the bounds ask of an objective. */
#include "run/plan/constants.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "run/cells.h"

/* A number of the table: its column, and which it can be. */
static const struct number {
    const char *name;
    size_t offset;
    double least, most;
} numbers[] = {
    { "L", offsetof(struct constants, L), 0, INFINITY },
    { "c", offsetof(struct constants, c), 0, INFINITY },
    { "sigma2", offsetof(struct constants, sigma2), 0, INFINITY },
    { "gap", offsetof(struct constants, gap), 0, INFINITY },
    { "fstar", offsetof(struct constants, fstar), -INFINITY, INFINITY },
    { "loss", offsetof(struct constants, loss), -INFINITY, INFINITY },
    { "loss_min", offsetof(struct constants, loss_min), -INFINITY, INFINITY },
    { "m_g", offsetof(struct constants, m_g), 0, INFINITY },
    { "gamma", offsetof(struct constants, gamma), 0, INFINITY },
    { "p0", offsetof(struct constants, p0), 0, 1 },
    { "l2", offsetof(struct constants, l2), 0, INFINITY },
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static double *value_of(struct constants *c, const struct number *n)
{
    return (double *)(void *)((char *)c + n->offset);
}

static int read_number(struct constants *c, const struct number *n, struct cells *cells, struct err *e)
{
    const char *text = cells_text(cells, n->name);
    double *v = value_of(c, n);
    if (text == NULL)
        return 0;
    if (num_real(text, v, e) < 0) {
        e->kind = ERR_DATA;
        err_ctx(e, "%s '%s'", n->name, text);
        return cells_blame(cells, e);
    }
    return 0;
}

static int read_row(struct constants *c, struct cells *cells, struct err *e)
{
    int more = cells_next(cells, e);
    if (more <= 0)
        return more < 0 ? -1 : err_set(e, ERR_DATA, "%s: no row of constants behind the header",
                                       cells->source.name);
    size_t known = 0;
    for (size_t i = 0; i < NUMBERS; i++) {
        if (read_number(c, &numbers[i], cells, e) < 0)
            return -1;
        known += !isnan(*value_of(c, &numbers[i]));
    }
    if (known == 0)
        return err_set(e, ERR_DATA, "%s: no constants: none of the columns L, c, sigma2, gap, gamma, "
                       "p0 has a number (dsgd-eval --constants writes them)", cells->source.name);
    const char *model = cells_text(cells, "model");
    c->model = model != NULL ? mem_text(model, e) : NULL;
    return model != NULL && c->model == NULL ? -1 : 0;
}

int constants_read(struct constants *c, const char *path, struct err *e)
{
    struct cells cells = { 0 };
    int status = cells_open(&cells, path, e);
    if (status == 0)
        status = read_row(c, &cells, e);
    cells_close(&cells);
    return status;
}

void constants_free(struct constants *c)
{
    free(c->model);
    c->model = NULL;
}

void constants_override(struct constants *c, const struct constants *given)
{
    struct constants from = *given;
    for (size_t i = 0; i < NUMBERS; i++)
        if (!isnan(*value_of(&from, &numbers[i])))
            *value_of(c, &numbers[i]) = *value_of(&from, &numbers[i]);
    if (isnan(c->fstar))
        c->fstar = c->loss - c->gap;
    if (isnan(c->loss_min) || !isnan(given->fstar))
        c->loss_min = c->fstar;
    if (isnan(c->m_g))
        c->m_g = 0;
}

int constants_check(const struct constants *c, struct err *e)
{
    struct constants all = *c;
    for (size_t i = 0; i < NUMBERS; i++) {
        double v = *value_of(&all, &numbers[i]);
        if (v < numbers[i].least || v > numbers[i].most)
            return err_set(e, ERR_USAGE, "%s=%g: from %g to %g is possible", numbers[i].name, v,
                           numbers[i].least, numbers[i].most);
    }
    if (c->L == 0)
        return err_set(e, ERR_USAGE, "L=0: a function that is nowhere curved has no least value");
    if (c->c > c->L)
        return err_set(e, ERR_USAGE, "c=%g with L=%g: c is the least curvature, L the greatest",
                       c->c, c->L);
    return 0;
}
