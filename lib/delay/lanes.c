/* Durations worker by worker, in the order in which they were made. */
#include "delay/lanes.h"

#include <stdlib.h>

#include "base/mem.h"

struct placed {
    uint64_t worker;
    size_t place;
    double seconds;
};

static int by_worker(const void *a, const void *b)
{
    const struct placed *p = a, *q = b;
    if (p->worker != q->worker)
        return p->worker < q->worker ? -1 : 1;
    return (p->place > q->place) - (p->place < q->place);
}

/* The completed, in order of worker and then of place. */
static size_t sort(struct placed *v, const struct durations *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        if (!d->v[i].censored)
            v[n++] = (struct placed){ d->v[i].worker, i, d->v[i].seconds };
    qsort(v, n, sizeof *v, by_worker);
    return n;
}

int lanes_open(struct lanes *l, const struct durations *d, struct err *e)
{
    struct placed *v = mem_new(d->n, sizeof *v, e);
    l->seconds = mem_new(d->n, sizeof *l->seconds, e);
    l->v = mem_new(d->n, sizeof *l->v, e);
    if (v == NULL || l->seconds == NULL || l->v == NULL) {
        free(v);
        lanes_free(l);
        return -1;
    }
    size_t n = sort(v, d);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || v[i].worker != v[i - 1].worker)
            l->v[l->n++] = (struct lane){ v[i].worker, i, 0 };
        l->v[l->n - 1].n++;
        l->seconds[i] = v[i].seconds;
    }
    free(v);
    return 0;
}

void lanes_free(struct lanes *l)
{
    free(l->seconds);
    free(l->v);
    *l = (struct lanes){ 0 };
}

static const struct lane *find(const struct lanes *l, uint64_t worker)
{
    size_t low = 0, high = l->n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (l->v[middle].worker <= worker)
            low = middle;
        else
            high = middle;
    }
    return l->v[low].worker == worker ? &l->v[low] : &l->v[worker % l->n];
}

double lanes_at(const struct lanes *l, uint64_t worker, uint64_t index)
{
    const struct lane *lane = find(l, worker);
    return l->seconds[lane->first + index % lane->n];
}
