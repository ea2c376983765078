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

const float *sum_alone(struct sum *s, uint64_t worker, const struct held *h, const float *w)
{
    const float *read = s->versions == NULL ? NULL : versions_read(s->versions, worker);
    return correct_gradient(s->correct, h->g, w, read, h->staleness);
}

/* sum += the gradient as corrected, or sum = it for the first. */
void sum_add(struct sum *s, uint64_t worker, const struct held *h, const float *w)
{
    const float *restrict g = sum_alone(s, worker, h, w);
    float *restrict sum = s->sum;
    if (!s->some)
        memcpy(sum, g, s->size * sizeof *sum);
    else
        floats_add(sum, g, s->size);
    s->some = true;
}

static int by_worker(const void *x, const void *y)
{
    const struct share *a = x, *b = y;
    return (a->worker > b->worker) - (a->worker < b->worker);
}

const float *sum_total(struct sum *s, const float *w)
{
    if (s->shares > 1)
        qsort(s->share, s->shares, sizeof *s->share, by_worker);
    for (size_t i = 0; i < s->shares; i++) {
        struct held *h = &s->held[s->share[i].worker];
        if (h->g != NULL)
            sum_add(s, s->share[i].worker, h, w);
        h->g = NULL;
    }
    return s->sum;
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
    s->some = false;
}
