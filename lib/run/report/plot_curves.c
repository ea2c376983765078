/* Loss or error of models over time, a line a run; and bounds of dsgd-plan, a line a policy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "run/cells.h"
#include "run/report/plot_kinds.h"

/* What the axes have to hold. */
struct reach {
    double x0, x1, y0, y1; /* least and greatest, those above 0 */
    bool drawn;
};

static void extend(double *least, double *most, double v)
{
    if (!(v > 0) || !isfinite(v))
        return;
    *least = fmin(*least, v);
    *most = fmax(*most, v);
}

static double number(struct cells *c, const char *column)
{
    double v;
    const char *text = cells_text(c, column);
    const char *end = text ? text + strlen(text) : NULL;
    return text && num_double(text, end, &v) == end ? v : NAN;
}

static void point(struct script *s, struct reach *r, double x, double y)
{
    double v[] = { x, y };
    if (!isfinite(x) || !isfinite(y))
        return;
    script_row(s, v, 2);
    extend(&r->x0, &r->x1, x);
    extend(&r->y0, &r->y1, y);
    r->drawn = true;
}

/* A run's name: its file without folder and ending. */
static char *name_of(const char *path, struct err *e)
{
    const char *slash = strrchr(path, '/'), *name = slash && slash[1] ? slash + 1 : path;
    char *copy = mem_text(name, e), *dot = copy ? strrchr(copy, '.') : NULL;
    if (dot && dot > copy)
        *dot = '\0';
    return copy;
}

static int curve(struct script *s, struct reach *r, const struct plot_input *in, const char *column, struct err *e)
{
    struct cells c = { 0 };
    int more = cells_open(&c, in->path, e);
    if (more == 0)
        while ((more = cells_next(&c, e)) > 0)
            point(s, r, number(&c, "time"), number(&c, column));
    cells_close(&c);
    return more;
}

static void free_names(char **names, size_t n)
{
    for (size_t i = 0; names != NULL && i < n; i++)
        free(names[i]);
    free(names);
}

static int finish(struct script *s, const struct reach *r, const struct plotting *p, struct err *e)
{
    if (!r->drawn)
        return err_set(e, ERR_DATA, "%s: no row has a time and a number to be drawn", p->v[0].name);
    script_real(s, "x0", r->x0);
    script_real(s, "x1", r->x1);
    script_real(s, "y0", r->y0);
    script_real(s, "y1", r->y1);
    return script_draw(s, "curves", p->out, e);
}

static int curves(struct script *s, const struct plotting *p, char **names, struct err *e)
{
    struct reach r = { INFINITY, 0, INFINITY, 0, false };
    bool error = p->show && strcmp(p->show, "error") == 0;
    for (size_t i = 0; i < p->n; i++)
        if ((names[i] = name_of(p->v[i].name, e)) == NULL)
            return -1;
    script_text(s, "heading", error ? "Error of the model over time" : "Loss of the model over time");
    script_text(s, "ylabel", error ? "error (for classes, the share of rows that are wrong)" : "mean loss of a row");
    script_real(s, "wide", 0);
    script_names(s, names, p->n);
    script_table(s, 2);
    for (size_t i = 0; i < p->n; i++) {
        if (i > 0)
            script_block(s, 2);
        if (curve(s, &r, &p->v[i], error ? "error" : "loss", e) < 0)
            return -1;
    }
    script_table_end(s);
    return finish(s, &r, p, e);
}

int plot_curves(const struct plotting *p, struct err *e)
{
    struct script s = { 0 };
    char **names = mem_new(p->n, sizeof *names, e);
    int status = names == NULL || script_open(&s, p->kind, e) < 0 ? -1 : curves(&s, p, names, e);
    script_close(&s);
    free_names(names, p->n);
    return status;
}

/* The lines of a table of bounds: a block for each policy and K. */
struct legend {
    char **names;
    size_t n, cap;
};

static int line(struct legend *l, struct script *s, struct cells *c, struct err *e)
{
    char policy[100];
    const char *text = cells_text(c, "policy");
    snprintf(policy, sizeof policy, "%s", text ? text : "?");
    text = cells_text(c, "K");
    bool plain = strcmp(policy, "sync") == 0 || strcmp(policy, "async") == 0 || text == NULL;
    size_t end = strlen(policy);
    if (!plain)
        snprintf(policy + end, sizeof policy - end, ":%s", text);
    if (l->n > 0 && strcmp(l->names[l->n - 1], policy) == 0)
        return 0;
    if (mem_grow(&l->names, &l->cap, l->n + 1, sizeof *l->names, e) < 0 ||
        (l->names[l->n] = mem_text(policy, e)) == NULL)
        return -1;
    if (l->n++ > 0)
        script_block(s, 2);
    return 0;
}

static int bounds(struct script *s, const struct plotting *p, struct legend *l, struct err *e)
{
    struct reach r = { INFINITY, 0, INFINITY, 0, false };
    struct cells c = { 0 };
    script_text(s, "heading", "The theory's bound of the error over time");
    script_text(s, "ylabel", "bound of the loss above its least");
    script_real(s, "wide", 1);
    script_table(s, 2);
    int more = cells_open(&c, p->v[0].path, e);
    if (more == 0)
        while ((more = cells_next(&c, e)) > 0) {
            if (line(l, s, &c, e) < 0) {
                more = -1;
                break;
            }
            point(s, &r, number(&c, "time"), number(&c, "bound"));
        }
    cells_close(&c);
    if (more < 0)
        return -1;
    script_table_end(s);
    script_names(s, l->names, l->n);
    return finish(s, &r, p, e);
}

int plot_bounds(const struct plotting *p, struct err *e)
{
    struct script s = { 0 };
    struct legend l = { 0 };
    int status = script_open(&s, p->kind, e) < 0 ? -1 : bounds(&s, p, &l, e);
    script_close(&s);
    free_names(l.names, l.n);
    return status;
}
