/* The gradients of the update to come: corrected one by one, held until it or added on arrival. */
#include "run/sum.h"

#include <stdlib.h>
#include <string.h>

#include "base/floats.h"
#include "base/mem.h"

int sum_open(struct sum *s, size_t size, uint64_t workers, struct err *e)
{
    s->size = size;
    s->sum = mem_new(size, sizeof *s->sum, e);
    s->held = mem_new((size_t)workers, sizeof *s->held, e);
    s->rows = mem_new((size_t)workers, sizeof *s->rows, e);
    return s->sum == NULL || s->held == NULL || s->rows == NULL ? -1 : 0;
}

void sum_close(struct sum *s)
{
    correct_close(s->correct);
    free(s->rows);
    free(s->share);
    free(s->held);
    free(s->index);
    free(s->value);
    marks_close(&s->marks);
    free(s->sum);
    *s = (struct sum){ 0 };
}

int sum_count(struct sum *s, const struct share *one, struct err *e)
{
    if (mem_grow(&s->share, &s->share_cap, s->shares + 1, sizeof *s->share, e) < 0)
        return -1;
    s->share[s->shares++] = *one;
    return 0;
}

void sum_hold(struct sum *s, uint64_t worker, const struct held *h)
{
    s->held[worker] = *h;
}

struct entries sum_alone(struct sum *s, uint64_t worker, const struct held *h, const float *w)
{
    const float *read = s->versions == NULL ? NULL : versions_read(s->versions, worker);
    return correct_gradient(s->correct, h->g, w, read, h->staleness);
}

static void add_all(struct sum *s, const float *restrict g)
{
    float *restrict sum = s->sum;
    if (!s->some)
        memcpy(sum, g, s->size * sizeof *sum);
    else
        floats_add(sum, g, s->size);
    s->all = true;
}

/* The sum is 0 where nothing is in it. */
static void clean(struct sum *s)
{
    if (s->dirty && !s->some)
        memset(s->sum, 0, s->size * sizeof *s->sum);
    s->dirty = s->dirty && s->some;
}

static int add_entries(struct sum *s, const struct entries *g, struct err *e)
{
    clean(s);
    if (s->marks.bits == NULL && marks_open(&s->marks, s->size, e) < 0)
        return -1;
    for (size_t k = 0; k < g->n; k++) {
        float *to = &s->sum[g->index[k]];
        *to = s->all || !marks_set(&s->marks, g->index[k]) ? *to + g->value[k] : g->value[k];
    }
    s->met += g->n;
    return 0;
}

/* sum += the gradient as corrected, or sum = it for the first. */
int sum_add(struct sum *s, uint64_t worker, const struct held *h, const float *w, struct err *e)
{
    struct entries g = sum_alone(s, worker, h, w);
    int status = 0;
    if (g.index == NULL)
        add_all(s, g.value);
    else
        status = add_entries(s, &g, e);
    s->some = true;
    return status;
}

const float *sum_spread(struct sum *s, const struct entries *g)
{
    clean(s);
    for (size_t k = 0; k < g->n; k++)
        s->sum[g->index[k]] = g->value[k];
    s->dirty = true;
    return s->sum;
}

static int by_worker(const void *x, const void *y)
{
    const struct share *a = x, *b = y;
    return (a->worker > b->worker) - (a->worker < b->worker);
}

/* What is in the sum, which is 0 from now on where only places of it were used. */
static int take_sum(struct sum *s, struct entries *total, struct err *e)
{
    *total = (struct entries){ NULL, s->sum, s->size };
    const size_t most = s->met < s->size ? s->met : s->size;
    if (s->marks.bits != NULL && (mem_grow(&s->index, &s->index_cap, most + 1, sizeof *s->index, e) < 0 ||
                                  mem_grow(&s->value, &s->value_cap, most + 1, sizeof *s->value, e) < 0))
        return -1;
    const size_t n = s->marks.bits != NULL ? marks_take(&s->marks, s->index) : 0;
    s->met = 0;
    s->dirty = s->dirty || s->all;
    if (s->all)
        return 0;
    for (size_t k = 0; k < n; k++) {
        s->value[k] = s->sum[s->index[k]];
        s->sum[s->index[k]] = 0;
    }
    *total = (struct entries){ s->index, s->value, n };
    return 0;
}

int sum_total(struct sum *s, const float *w, struct entries *total, struct err *e)
{
    if (s->shares > 1)
        qsort(s->share, s->shares, sizeof *s->share, by_worker);
    for (size_t i = 0; i < s->shares; i++) {
        struct held *h = &s->held[s->share[i].worker];
        if (h->g.value != NULL && sum_add(s, s->share[i].worker, h, w, e) < 0)
            return -1;
        h->g.value = NULL;
    }
    return take_sum(s, total, e);
}

double sum_loss(const struct sum *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->shares; i++)
        sum += s->share[i].loss;
    return sum;
}

void sum_settle(struct sum *s)
{
    for (size_t i = 0; i < s->shares; i++)
        s->rows[s->share[i].worker] += s->share[i].rows;
    s->shares = 0;
    s->some = s->all = false;
}
