/* What one place does at the same time is the work of several workers. */
#include "run/places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SLACK 2e-6 /* seconds by which rounding lets a span begin too early */

/* A place: when each of its workers is free again. */
struct place {
    char *name;
    double *free_at; /* (n) */
    size_t n, cap;
};

static int by_start(const void *a, const void *b)
{
    const struct span *p = a, *q = b;
    int names = strcmp(p->name, q->name);
    if (names != 0)
        return names;
    if (isnan(p->start) != isnan(q->start))
        return isnan(p->start) ? -1 : 1;
    if (p->start != q->start && !isnan(p->start))
        return p->start < q->start ? -1 : 1;
    return (p->line > q->line) - (p->line < q->line);
}

static int start_place(struct place *at, const char *name, struct err *e)
{
    if (at->name != NULL && strcmp(at->name, name) == 0)
        return 0;
    free(at->name);
    at->n = 0;
    at->name = mem_text(name, e);
    return at->name == NULL ? -1 : 0;
}

static int settle(struct place *at, struct span *p, struct err *e)
{
    size_t i = 0;
    while (i < at->n && p->start + SLACK < at->free_at[i])
        i++;
    if (i == at->n) {
        if (mem_grow(&at->free_at, &at->cap, at->n + 1, sizeof *at->free_at, e) < 0)
            return -1;
        at->free_at[at->n++] = p->start;
    }
    double early = fmax(at->free_at[i] - p->start, 0);
    p->start += early;
    p->seconds = fmax(p->seconds - early, 0);
    at->free_at[i] = p->start + p->seconds;
    if (i == 0)
        return 0;
    free(p->name);
    p->name = mem_print(e, "%s#%zu", at->name, i + 1);
    return p->name == NULL ? -1 : 0;
}

int places_spread(struct spans *s, struct err *e)
{
    struct place at = { 0 };
    int status = 0;
    qsort(s->v, s->n, sizeof *s->v, by_start);
    for (size_t i = 0; i < s->n && status == 0; i++) {
        status = start_place(&at, s->v[i].name, e);
        if (status == 0 && !isnan(s->v[i].start))
            status = settle(&at, &s->v[i], e);
    }
    free(at.free_at);
    free(at.name);
    return status;
}
