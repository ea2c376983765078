/* Who takes part in the race. */
#include "run/plan/entrants.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

struct ranked {
    struct prospect *who;
    double seconds;
    size_t rank; /* the better of two */
};

static int by_seconds(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;
    return a->seconds != b->seconds ? (a->seconds > b->seconds) - (a->seconds < b->seconds)
                                    : (a->who > b->who) - (a->who < b->who);
}

static int by_rank(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;
    return a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank)
                              : (a->who > b->who) - (a->who < b->who);
}

static int by_place(const void *x, const void *y)
{
    struct prospect *const *a = x, *const *b = y;
    return (*a > *b) - (*a < *b);
}

static size_t distinct(struct prospect **who, struct prospects *p, uint64_t workers)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) {
        size_t same = 0;
        while (same < n && !prospect_same(who[same], &p->v[i], workers))
            same++;
        if (same == n)
            who[n++] = &p->v[i];
    }
    return n;
}

/* With `part` of the noise. */
static void rank(struct ranked *r, size_t n, const struct outlook *o, double part)
{
    for (size_t i = 0; i < n; i++) {
        double seconds = outlook_seconds(o, r[i].who, part);
        r[i].seconds = isnan(seconds) ? INFINITY : seconds;
    }
    qsort(r, n, sizeof *r, by_seconds);
    for (size_t i = 0; i < n; i++)
        r[i].rank = i < r[i].rank ? i : r[i].rank;
}

/* The first ENTRANTS_MOST; false: the bounds say nothing of so many. */
static bool by_bounds(struct prospect **who, size_t n, struct ranked *r, const struct outlook *o)
{
    size_t known = 0;
    for (size_t i = 0; i < n; i++) {
        r[i] = (struct ranked){ who[i], 0, n };
        known += isfinite(outlook_seconds(o, who[i], 0));
    }
    if (known < ENTRANTS_MOST)
        return false;
    rank(r, n, o, 1);
    rank(r, n, o, o->constants->c / (2 * o->constants->L));
    qsort(r, n, sizeof *r, by_rank);
    for (size_t i = 0; i < ENTRANTS_MOST; i++)
        who[i] = r[i].who;
    qsort(who, ENTRANTS_MOST, sizeof *who, by_place);
    return true;
}

int entrants(struct prospect **who, size_t *n, const struct outlook *o, struct prospects *p, struct err *e)
{
    *n = distinct(who, p, o->delays->workers);
    if (*n <= ENTRANTS_MOST)
        return 0;
    struct ranked *r = mem_new(*n, sizeof *r, e);
    if (r == NULL)
        return -1;
    size_t each = (*n + ENTRANTS_MOST - 1) / ENTRANTS_MOST, all = *n;
    if (by_bounds(who, *n, r, o))
        *n = ENTRANTS_MOST;
    else
        for (*n = 0; *n * each < all; ++*n)
            who[*n] = who[*n * each];
    free(r);
    return 0;
}
