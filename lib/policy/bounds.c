/* Bounds on how far workers may drift apart: steps ahead of the slowest (SSP), age of a gradient. */
#include <stdlib.h>

#include "base/mem.h"
#include "policy/machine.h"

static bool bounds_ahead(const struct policy *p)
{
    return p->knobs.ahead != NO_BOUND;
}

/* The fewest steps of those here, found again when the last of the slowest has gone on. The search is
 * paid for by the steps that the others made meanwhile. */
static void find_slowest(struct policy *p)
{
    if (p->n_slowest > 0)
        return;
    p->slowest = NONE;
    for (uint64_t w = 0; w < p->run.workers; w++) {
        const struct member *m = &p->member[w];
        if (!m->here || m->steps > p->slowest)
            continue;
        p->n_slowest = m->steps < p->slowest ? 1 : p->n_slowest + 1;
        p->slowest = m->steps;
    }
}

void bounds_arrive(struct policy *p, uint64_t worker)
{
    if (!bounds_ahead(p))
        return;
    find_slowest(p);
    if (p->n_slowest > 0)
        p->member[worker].steps = p->slowest; /* a late one holds nobody back */
    else
        p->slowest = p->member[worker].steps;
    p->n_slowest++;
}

void bounds_depart(struct policy *p, uint64_t worker)
{
    struct member *m = &p->member[worker];
    m->waits = false;
    if (bounds_ahead(p) && m->steps == p->slowest)
        p->n_slowest--;
}

void bounds_step(struct policy *p, uint64_t worker)
{
    struct member *m = &p->member[worker];
    if (bounds_ahead(p) && m->steps++ == p->slowest)
        p->n_slowest--;
}

bool bounds_wait(struct policy *p, uint64_t worker)
{
    if (!bounds_ahead(p))
        return false;
    find_slowest(p);
    return p->member[worker].steps - p->slowest > p->knobs.ahead;
}

int bounds_note_wait(struct policy *p, uint64_t worker, struct err *e)
{
    if (mem_grow(&p->waiting, &p->waiting_cap, p->n_waiting + 1, sizeof *p->waiting, e) < 0)
        return -1;
    p->waiting[p->n_waiting++] = worker;
    p->held_back = p->slowest;
    p->member[worker].waits = true;
    return 0;
}

static int by_rank(const void *x, const void *y)
{
    const uint64_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

/* All that wait are equally far ahead: they go on together, in order of rank. */
int bounds_release(struct policy *p, struct acts *a, struct err *e)
{
    size_t n = p->n_waiting;
    if (n == 0)
        return 0;
    find_slowest(p);
    if (p->slowest == p->held_back)
        return 0;
    qsort(p->waiting, n, sizeof *p->waiting, by_rank);
    p->n_waiting = 0;
    for (size_t i = 0; i < n; i++) {
        struct member *m = &p->member[p->waiting[i]];
        bool was = m->waits;
        m->waits = false;
        if (was && grant(p, p->waiting[i], a, e) < 0)
            return -1;
    }
    return 0;
}

/* Those that work are chained by the version they read, oldest first. */
void bounds_start(struct policy *p, uint64_t worker)
{
    struct member *m = &p->member[worker];
    if (p->knobs.age == NO_BOUND)
        return;
    m->older = p->youngest;
    m->younger = NONE;
    *(p->youngest == NONE ? &p->oldest : &p->member[p->youngest].younger) = worker;
    p->youngest = worker;
}

void bounds_stop(struct policy *p, uint64_t worker)
{
    struct member *m = &p->member[worker];
    if (p->knobs.age == NO_BOUND || !m->working)
        return;
    *(m->older == NONE ? &p->oldest : &p->member[m->older].younger) = m->younger;
    *(m->younger == NONE ? &p->youngest : &p->member[m->younger].older) = m->older;
}

/* In its place in the chain: few come with a version older than the youngest. */
static void chain(struct policy *p, uint64_t worker)
{
    struct member *m = &p->member[worker];
    uint64_t older = p->youngest;
    while (older != NONE && p->member[older].version > m->version)
        older = p->member[older].older;
    m->older = older;
    m->younger = older == NONE ? p->oldest : p->member[older].younger;
    *(m->older == NONE ? &p->oldest : &p->member[m->older].younger) = worker;
    *(m->younger == NONE ? &p->youngest : &p->member[m->younger].older) = worker;
}

void bounds_restart(struct policy *p)
{
    p->oldest = p->youngest = NONE;
    p->slowest = p->n_waiting = 0;
    p->n_slowest = bounds_ahead(p) ? p->here : 0;
    for (uint64_t w = 0; w < p->run.workers; w++) {
        p->member[w].steps = 0;
        if (p->member[w].working && p->knobs.age != NO_BOUND)
            chain(p, w);
    }
}

int bounds_age(struct policy *p, struct acts *a, struct err *e)
{
    while (!p->knobs.drop && p->oldest != NONE &&
           p->version - p->member[p->oldest].version >= p->knobs.age) {
        uint64_t worker = p->oldest;
        if (void_work(p, worker, a, e) < 0 || grant(p, worker, a, e) < 0)
            return -1;
    }
    return 0;
}
