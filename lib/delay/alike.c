/* Which workers are alike. */
#include "delay/alike.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "delay/fit.h"
#include "delay/steps.h"

enum { FEW = 5 }; /* completed durations that may all be the same by chance */

static void group_free(struct group *g)
{
    free(g->worker);
    free(g->bic);
    durations_free(&g->d);
}

static int copy(struct durations *to, const struct durations *from, struct err *e)
{
    for (size_t i = 0; i < from->n; i++)
        if (durations_add(to, &from->v[i], e) < 0)
            return -1;
    return 0;
}

static size_t row_of(const struct delay_ops *row)
{
    size_t i = 0;
    while (delay_table.rows[i] != &row->plug)
        i++;
    return i;
}

static size_t rows(void)
{
    size_t n = 0;
    while (delay_table.rows[n])
        n++;
    return n;
}

static int measure(struct group *g, struct err *e)
{
    struct durations d = { 0 };
    struct fits f = { 0 };
    bool few = durations_completed(&g->d) < FEW;
    g->bic = mem_new(rows(), sizeof *g->bic, e);
    int status = g->bic == NULL || copy(&d, &g->d, e) < 0 || fits_open(&f, &d, e) < 0 ? -1 : 0;
    for (size_t i = 0; g->bic && i < rows(); i++)
        g->bic[i] = INFINITY;
    for (size_t i = 0; status == 0 && i < f.n; i++)
        if (f.v[i].law.plug && !(few && isinf(f.v[i].bic)))
            g->bic[row_of(f.v[i].row)] = f.v[i].bic;
    fits_free(&f);
    durations_free(&d);
    return status;
}

/* What is won by one law for both; one without density is either right or not. Where to divide is
 * chosen from the durations too, so it counts as one more parameter. */
static double gain(const struct group *a, const struct group *b, const struct group *both)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < rows(); i++) {
        bool sure = a->bic[i] == -INFINITY || b->bic[i] == -INFINITY;
        if (sure)
            return both->bic[i] == -INFINITY ? INFINITY : -INFINITY;
        if (isfinite(a->bic[i] + b->bic[i] + both->bic[i]) &&
            (best == SIZE_MAX || both->bic[i] < both->bic[best]))
            best = i;
    }
    if (best == SIZE_MAX)
        return -INFINITY;
    return a->bic[best] + b->bic[best] + log((double)both->d.n) - both->bic[best];
}

static int by_rank(const void *a, const void *b)
{
    uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return (p > q) - (p < q);
}

static int put_together(struct group *both, const struct group *a, const struct group *b, struct err *e)
{
    *both = (struct group){ .n = a->n + b->n, .worker = mem_new(a->n + b->n, sizeof *a->worker, e) };
    if (both->worker == NULL)
        return -1;
    memcpy(both->worker, a->worker, a->n * sizeof *a->worker);
    memcpy(both->worker + a->n, b->worker, b->n * sizeof *b->worker);
    qsort(both->worker, both->n, sizeof *both->worker, by_rank);
    if (copy(&both->d, &a->d, e) < 0 || copy(&both->d, &b->d, e) < 0)
        return -1;
    return measure(both, e);
}

/* Neighbours: what each would be together with the next, and what that would gain. */
struct pair {
    struct group both;
    double gain;
};

static int try_pair(struct alike *a, struct pair *p, size_t i, struct err *e)
{
    group_free(&p[i].both);
    p[i] = (struct pair){ .gain = -INFINITY };
    if (i + 1 >= a->n)
        return 0;
    if (put_together(&p[i].both, &a->v[i], &a->v[i + 1], e) < 0)
        return -1;
    p[i].gain = gain(&a->v[i], &a->v[i + 1], &p[i].both);
    return 0;
}

/* Group i takes in the one behind it. */
static int join(struct alike *a, struct pair *p, size_t i, struct err *e)
{
    group_free(&a->v[i]);
    group_free(&a->v[i + 1]);
    a->v[i] = p[i].both;
    p[i] = (struct pair){ 0 };
    group_free(&p[i + 1].both);
    a->n--;
    memmove(&a->v[i + 1], &a->v[i + 2], (a->n - i - 1) * sizeof *a->v);
    memmove(&p[i + 1], &p[i + 2], (a->n - i - 1) * sizeof *p);
    p[a->n] = (struct pair){ 0 };
    if (i > 0 && try_pair(a, p, i - 1, e) < 0)
        return -1;
    return try_pair(a, p, i, e);
}

static int join_all(struct alike *a, struct err *e)
{
    struct pair *p = mem_new(a->n + 1, sizeof *p, e);
    int status = p ? 0 : -1;
    for (size_t i = 0; i < a->n && status == 0; i++)
        status = try_pair(a, p, i, e);
    while (status == 0) {
        size_t best = 0;
        for (size_t i = 1; i < a->n; i++)
            best = p[i].gain > p[best].gain ? i : best;
        if (!(p[best].gain >= 0))
            break;
        status = join(a, p, best, e);
    }
    for (size_t i = 0; p && i < a->n; i++)
        group_free(&p[i].both);
    free(p);
    return status;
}

/* The group of a worker, made when there is none yet. */
static struct group *of_worker(struct alike *a, size_t *cap, uint64_t worker, struct err *e)
{
    size_t at = 0, high = a->n;
    while (at < high) {
        size_t middle = at + (high - at) / 2;
        if (a->v[middle].worker[0] < worker)
            at = middle + 1;
        else
            high = middle;
    }
    if (at < a->n && a->v[at].worker[0] == worker)
        return &a->v[at];
    if (mem_grow(&a->v, cap, a->n + 1, sizeof *a->v, e) < 0)
        return NULL;
    uint64_t *rank = mem_new(1, sizeof *rank, e);
    if (rank == NULL)
        return NULL;
    *rank = worker;
    memmove(&a->v[at + 1], &a->v[at], (a->n++ - at) * sizeof *a->v);
    a->v[at] = (struct group){ .worker = rank, .n = 1 };
    return &a->v[at];
}

static int divide(struct alike *a, const struct durations *d, struct err *e)
{
    size_t cap = 0;
    struct group *g = NULL;
    for (size_t i = 0; i < d->n; i++) {
        if (d->v[i].worker == UINT64_MAX)
            return err_set(e, ERR_DATA, "it does not say which durations are whose: a trace does");
        if (g == NULL || g->worker[0] != d->v[i].worker)
            g = of_worker(a, &cap, d->v[i].worker, e);
        if (g == NULL || durations_add(&g->d, &d->v[i], e) < 0)
            return -1;
    }
    return 0;
}

/* Leaves out who has completed nothing. */
static void drop_unknown(struct alike *a)
{
    size_t kept = 0;
    for (size_t i = 0; i < a->n; i++) {
        if (durations_completed(&a->v[i].d) > 0)
            a->v[kept++] = a->v[i];
        else
            group_free(&a->v[i]);
    }
    a->unknown = a->n - kept;
    a->n = kept;
}

/* By median, as Kaplan and Meier see it. */
struct median {
    struct group group;
    double seconds;
};

static int by_median(const void *a, const void *b)
{
    const struct median *p = a, *q = b;
    if (p->seconds != q->seconds)
        return p->seconds < q->seconds ? -1 : 1;
    return by_rank(p->group.worker, q->group.worker);
}

static int median_of(struct median *m, const struct group *g, struct err *e)
{
    struct durations d = { 0 };
    struct steps s = { 0 };
    m->group = *g;
    int status = copy(&d, &g->d, e) < 0 || steps_open(&s, &d, false, e) < 0 ? -1 : 0;
    if (status == 0)
        m->seconds = steps_quantile(&s, 0.5);
    steps_free(&s);
    durations_free(&d);
    return status;
}

static int sort_by_median(struct alike *a, struct err *e)
{
    struct median *m = mem_new(a->n, sizeof *m, e);
    int status = m ? 0 : -1;
    for (size_t i = 0; i < a->n && status == 0; i++)
        status = median_of(&m[i], &a->v[i], e);
    if (status == 0)
        qsort(m, a->n, sizeof *m, by_median);
    for (size_t i = 0; i < a->n && status == 0; i++)
        a->v[i] = m[i].group;
    for (size_t i = 0; i < a->n && status == 0; i++)
        status = measure(&a->v[i], e);
    free(m);
    return status;
}

static int by_first(const void *a, const void *b)
{
    return by_rank(((const struct group *)a)->worker, ((const struct group *)b)->worker);
}

int alike_open(struct alike *a, const struct durations *d, struct err *e)
{
    int status = divide(a, d, e);
    if (status == 0)
        drop_unknown(a);
    if (status == 0 && (sort_by_median(a, e) < 0 || join_all(a, e) < 0))
        status = -1;
    if (status < 0)
        alike_free(a);
    else if (a->n > 0)
        qsort(a->v, a->n, sizeof *a->v, by_first);
    return status;
}

void alike_free(struct alike *a)
{
    for (size_t i = 0; i < a->n; i++)
        group_free(&a->v[i]);
    free(a->v);
    *a = (struct alike){ 0 };
}

char *alike_range(const struct group *g, struct err *e)
{
    char *text = mem_text("", e);
    for (size_t i = 0, last; text && i < g->n; i = last + 1) {
        for (last = i; last + 1 < g->n && g->worker[last + 1] == g->worker[last] + 1; last++)
            ;
        const char *between = i > 0 ? "," : "";
        char *more = last > i ? mem_print(e, "%s%s%" PRIu64 "-%" PRIu64, text, between, g->worker[i],
                                          g->worker[last])
                              : mem_print(e, "%s%s%" PRIu64, text, between, g->worker[i]);
        free(text);
        text = more;
    }
    return text;
}
