/* What policies cost beside what they give: a line a policy, a point a K, and the points that no other beats in both. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "run/cells.h"
#include "run/report/plot_kinds.h"

struct place {
    char *policy;
    double k, x, y, axis[6]; /* by column, as in `axes` */
};

struct places {
    struct place *v;
    size_t n, cap;
};

/* What may be beside what, best first: the first pair of which some row has both. */
enum { RUNTIME, FLOOR, TARGET, COST, ENERGY, STALENESS };
static const char *const columns[] = { "runtime", "error_floor", "time_to_target", "cost", "energy", "staleness" };
static const struct {
    unsigned x, y;
    const char *heading, *xlabel, *ylabel;
} axes[] = {
    { TARGET, COST, "Time and money until the target", "time until the target, s", "cost until the target (money of --price)" },
    { TARGET, ENERGY, "Time and energy until the target", "time until the target, s", "energy until the target, J" },
    { RUNTIME, FLOOR, "How fast updates come, and what error they can reach", "time of an update, s",
      "floor of the bound of the loss above its least" },
    { RUNTIME, STALENESS, "How fast updates come, and how stale their gradients are", "time of an update, s",
      "mean staleness of a gradient, updates" },
};
enum { AXES = sizeof axes / sizeof *axes };

static double number(const char *text)
{
    double v;
    const char *end = text ? text + strlen(text) : NULL;
    return text && num_double(text, end, &v) == end && isfinite(v) ? v : NAN;
}

static int read_row(struct places *p, struct cells *c, struct err *e)
{
    if (mem_grow(&p->v, &p->cap, p->n + 1, sizeof *p->v, e) < 0)
        return -1;
    struct place *one = &p->v[p->n];
    const char *policy = cells_text(c, "policy");
    if ((one->policy = mem_text(policy ? policy : "?", e)) == NULL)
        return -1;
    p->n++;
    one->k = number(cells_text(c, "K"));
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        one->axis[i] = number(cells_text(c, columns[i]));
    return 0;
}

static int read_plan(struct places *p, const char *path, struct err *e)
{
    struct cells c = { 0 };
    int more = cells_open(&c, path, e);
    if (more == 0)
        while ((more = cells_next(&c, e)) > 0)
            if (read_row(p, &c, e) < 0) {
                more = -1;
                break;
            }
    cells_close(&c);
    return more;
}

/* Returns which pair is drawn, or AXES. */
static size_t choose_axes(struct places *p)
{
    for (size_t a = 0; a < AXES; a++) {
        size_t both = 0;
        for (size_t i = 0; i < p->n; i++) {
            p->v[i].x = p->v[i].axis[axes[a].x];
            p->v[i].y = p->v[i].axis[axes[a].y];
            both += isfinite(p->v[i].x) && isfinite(p->v[i].y);
        }
        if (both > 0)
            return a;
    }
    return AXES;
}

static void put(struct script *s, const struct place *one)
{
    double v[] = { one->x, one->y, one->k };
    if (isfinite(one->x) && isfinite(one->y))
        script_row(s, v, 3);
}

static int by_place(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y);
}

/* Those that no other is better than in one and as good as in the other. Sorts. */
static void put_frontier(struct script *s, struct places *p)
{
    double least = INFINITY;
    qsort(p->v, p->n, sizeof *p->v, by_place);
    for (size_t i = 0; i < p->n; i++)
        if (isfinite(p->v[i].x) && p->v[i].y < least) {
            least = p->v[i].y;
            put(s, &p->v[i]);
        }
}

static int write_plan(struct script *s, struct places *p, char **names, const struct plotting *plot, struct err *e)
{
    size_t n = 0, a = choose_axes(p);
    if (a == AXES)
        return err_set(e, ERR_DATA, "%s: no row has a time and a staleness, a floor or a cost", plot->v[0].name);
    script_text(s, "heading", axes[a].heading);
    script_text(s, "xlabel", axes[a].xlabel);
    script_text(s, "ylabel", axes[a].ylabel);
    script_table(s, 3);
    for (size_t i = 0; i < p->n; i++) {
        bool next = i == 0 || strcmp(p->v[i].policy, p->v[i - 1].policy) != 0;
        if (next && n > 0)
            script_block(s, 3);
        if (next)
            names[n++] = p->v[i].policy;
        put(s, &p->v[i]);
    }
    script_block(s, 3);
    put_frontier(s, p);
    script_table_end(s);
    script_names(s, names, n);
    return script_draw(s, "plan", plot->out, e);
}

static int plan_picture(struct places *p, const struct plotting *plot, struct err *e)
{
    struct script s = { 0 };
    char **names = mem_new(p->n, sizeof *names, e);
    int status = names == NULL || script_open(&s, plot->kind, e) < 0 ? -1 : write_plan(&s, p, names, plot, e);
    script_close(&s);
    free(names);
    return status;
}

int plot_plan(const struct plotting *plot, struct err *e)
{
    struct places p = { 0 };
    int status = read_plan(&p, plot->v[0].path, e);
    if (status == 0)
        status = plan_picture(&p, plot, e);
    for (size_t i = 0; i < p.n; i++)
        free(p.v[i].policy);
    free(p.v);
    return status;
}
