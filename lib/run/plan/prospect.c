/* The policies that a plan looks at. */
#include "run/plan/prospect.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Policies that are known by their name alone; those with a K stand for each of them. */
static const struct family {
    const char *name;
    bool k;
} families[] = {
    { "sync", false },  { "k-sync", true },  { "k-batch-sync", true },
    { "async", false }, { "k-async", true }, { "k-batch-async", true },
};
enum { FAMILIES = sizeof families / sizeof *families, STEPS = 256 };

/* What is being listed. */
struct list {
    struct prospects *p;
    uint64_t workers;
    double ratio;
};

/* Adds one; text is a SPEC, whose K may be too much for P. */
static int add(struct list *l, const char *text, struct err *e)
{
    struct prospects *p = l->p;
    if (mem_grow(&p->v, &p->cap, p->n + 1, sizeof *p->v, e) < 0)
        return -1;
    struct prospect *one = &p->v[p->n++];
    *one = (struct prospect){ .error = NAN, .joules = NAN, .floor = NAN, .seconds = NAN,
                                .loss = NAN };
    if (spec_parse(&one->policy, &policy_table, text, e) < 0)
        return -1;
    struct knobs *k = &one->knobs;
    *k = (struct knobs){ .ahead = NO_BOUND, .age = NO_BOUND };
    ((const struct policy_ops *)one->policy.plug)->knobs(one->policy.conf, l->workers, k);
    if (k->adapt != NULL)
        return err_set(e, ERR_USAGE, "its K follows the loss: there is no plan for it");
    one->stale = !k->voids && l->workers > 1 && k->age > 1 && !(k->distinct && k->combine == l->workers);
    return 0;
}

static int add_k(struct list *l, const char *name, uint64_t k, struct err *e)
{
    char text[100];
    snprintf(text, sizeof text, "%s:%" PRIu64, name, k);
    return add(l, text, e);
}

/* 1, 2, ... to half of P, in steps of `ratio` where that is more than 1. Returns how many. */
static size_t climb(uint64_t *step, uint64_t half, double ratio)
{
    size_t n = 0;
    for (uint64_t k = 1; k <= half && n < STEPS; k = (uint64_t)fmax((double)k + 1, (double)k * ratio))
        step[n++] = k;
    return n;
}

/* Up to half of P and, as far below P, down again: both ends matter. */
static int add_all_k(struct list *l, const char *name, struct err *e)
{
    uint64_t step[STEPS], p = l->workers;
    size_t n = climb(step, p / 2, p <= PROSPECT_ALL ? 1 : l->ratio);
    for (size_t i = 0; i < n; i++)
        if (add_k(l, name, step[i], e) < 0)
            return -1;
    for (size_t i = n; i-- > 0;)
        if (p - step[i] > step[n - 1] && add_k(l, name, p - step[i], e) < 0)
            return -1;
    return add_k(l, name, p, e);
}

static int add_family(struct list *l, const struct family *f, struct err *e)
{
    return f->k ? add_all_k(l, f->name, e) : add(l, f->name, e);
}

static int add_text(struct list *l, const char *text, struct err *e)
{
    for (size_t i = 0; i < FAMILIES; i++)
        if (strcmp(text, families[i].name) == 0)
            return add_family(l, &families[i], e);
    return add(l, text, e);
}

int prospects_open(struct prospects *p, const struct text_list *policies, uint64_t workers, double ratio,
                   struct err *e)
{
    struct list l = { p, workers, ratio };
    for (size_t i = 0; i < policies->n; i++)
        if (add_text(&l, policies->v[i], e) < 0)
            return err_ctx(e, "--policy '%s'", policies->v[i]);
    for (size_t i = 0; policies->n == 0 && i < FAMILIES; i++)
        if (add_family(&l, &families[i], e) < 0)
            return -1;
    return 0;
}

void prospects_free(struct prospects *p)
{
    for (size_t i = 0; i < p->n; i++)
        spec_free(&p->v[i].policy);
    free(p->v);
    *p = (struct prospects){ 0 };
}

/* One gradient comes from one worker; when all are in the update nothing is outstanding. */
static struct knobs plain(struct knobs k, uint64_t workers)
{
    k.distinct |= k.combine == 1;
    k.voids |= workers == 1 || (k.distinct && k.combine == workers);
    return k;
}

bool prospect_same(const struct prospect *a, const struct prospect *b, uint64_t workers)
{
    struct knobs x = plain(a->knobs, workers), y = plain(b->knobs, workers);
    return x.combine == y.combine && x.distinct == y.distinct && x.voids == y.voids &&
           x.ahead == y.ahead && x.age == y.age && x.drop == y.drop;
}
