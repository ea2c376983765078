/* Whose minibatch ends next: a 4-ary heap of (time, worker). */
#include "run/calendar.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
    ARITY = 4,
    SMALL = 64, /* entries below which void ones are left where they are */
};

static bool before(const struct entry *a, const struct entry *b)
{
    return a->time < b->time || (a->time == b->time && a->worker < b->worker);
}

static bool alive(const struct calendar *c, const struct entry *e)
{
    return c->stamp[e->worker] == e->stamp;
}

int calendar_open(struct calendar *c, uint64_t workers, struct err *e)
{
    if (workers >= UINT32_C(1) << 31)
        return err_set(e, ERR_USAGE, "%ju workers are too many", (uintmax_t)workers);
    size_t most = 2 * (size_t)workers + SMALL + ARITY;
    c->room = mem_new(most + ARITY - 1, sizeof *c->heap, e);
    c->stamp = mem_new((size_t)workers, sizeof *c->stamp, e);
    if (c->room == NULL || c->stamp == NULL) {
        calendar_close(c);
        return -1;
    }
    c->heap = (struct entry *)c->room + ARITY - 1; /* four children fill a line of the cache */
    return 0;
}

void calendar_close(struct calendar *c)
{
    free(c->room);
    free(c->stamp);
    *c = (struct calendar){ 0 };
}

static void sift_up(struct calendar *c, size_t i, struct entry e)
{
    struct entry *h = c->heap;
    for (size_t up; i > 0 && before(&e, &h[up = (i - 1) / ARITY]); i = up)
        h[i] = h[up];
    h[i] = e;
}

static size_t first_of(const struct entry *h, size_t from, size_t to)
{
    size_t best = from;
    for (size_t i = from + 1; i < to; i++)
        best = before(&h[i], &h[best]) ? i : best;
    return best;
}

static void sift_down(struct calendar *c, size_t i, struct entry e)
{
    struct entry *h = c->heap;
    for (;;) {
        size_t child = ARITY * i + 1;
        if (child >= c->n)
            break;
        size_t best = first_of(h, child, child + ARITY < c->n ? child + ARITY : c->n);
        if (!before(&h[best], &e))
            break;
        h[i] = h[best];
        i = best;
    }
    h[i] = e;
}

static void fill_hole(struct calendar *c)
{
    if (!c->hole)
        return;
    c->hole = false;
    if (--c->n > 0)
        sift_down(c, 0, c->heap[c->n]);
}

static void sweep(struct calendar *c)
{
    size_t kept = 0;
    fill_hole(c);
    for (size_t i = 0; i < c->n; i++)
        if (alive(c, &c->heap[i]))
            c->heap[kept++] = c->heap[i];
    c->n = kept;
    c->dead = 0;
    for (size_t i = kept / ARITY + 1; i-- > 0;)
        if (i < kept)
            sift_down(c, i, c->heap[i]);
}

void calendar_remove(struct calendar *c, uint64_t worker)
{
    if (c->stamp[worker] % 2 == 0)
        return;
    c->stamp[worker]++;
    c->dead++;
    if (c->n > SMALL && 2 * c->dead > c->n)
        sweep(c);
}

void calendar_put(struct calendar *c, uint64_t worker, uint64_t time)
{
    calendar_remove(c, worker);
    struct entry e = { time, (uint32_t)worker, ++c->stamp[worker] };
    if (c->hole) {
        c->hole = false;
        sift_down(c, 0, e);
    } else {
        sift_up(c, c->n++, e);
    }
}

bool calendar_next(struct calendar *c, uint64_t *time, uint64_t *worker)
{
    fill_hole(c);
    while (c->n > 0 && !alive(c, &c->heap[0])) {
        c->dead--;
        c->hole = true;
        fill_hole(c);
    }
    if (c->n == 0)
        return false;
    *time = c->heap[0].time;
    *worker = c->heap[0].worker;
    return true;
}

void calendar_take(struct calendar *c)
{
    c->stamp[c->heap[0].worker]++;
    c->hole = true;
}
