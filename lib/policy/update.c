/* What an update does: who is granted the new version, whose work is void. */
#include "policy/machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int voided_add(struct voided *q, uint64_t seq, struct err *e)
{
    if (q->head > 0 && q->head + q->n == q->cap) {
        memmove(q->v, q->v + q->head, q->n * sizeof *q->v);
        q->head = 0;
    }
    if (mem_grow(&q->v, &q->cap, q->head + q->n + 1, sizeof *q->v, e) < 0)
        return -1;
    q->v[q->head + q->n++] = seq;
    return 0;
}

/* How many workers can still add to the next update: the lost ones count while K is kept for them. */
static uint64_t reach(const struct policy *p)
{
    return p->run.loss == POLICY_KEEP ? p->expected : p->able;
}

uint64_t policy_combine(const struct policy *p)
{
    uint64_t r = reach(p);
    if (r == 0)
        return 1; /* what is there is all that will ever be */
    return p->knobs.distinct && r < p->knobs.combine ? r : p->knobs.combine;
}

static bool last_update(const struct policy *p)
{
    return p->run.updates != 0 && p->version >= p->run.updates;
}

/* It made all its minibatches. */
static int dismiss(struct policy *p, uint64_t worker, struct acts *a, struct err *e)
{
    struct member *m = &p->member[worker];
    bounds_depart(p, worker);
    count(p, m, false);
    m->here = false;
    m->done = true;
    count(p, m, true);
    return act(a, (struct act){ .kind = ACT_LEAVE, .worker = worker, .version = p->version }, e);
}

static void hold_newest(const struct policy *p, struct member *m)
{
    m->before = m->version;
    m->version = p->version;
}

int grant(struct policy *p, uint64_t worker, struct acts *a, struct err *e)
{
    struct member *m = &p->member[worker];
    hold_newest(p, m);
    if (m->next >= m->budget)
        return dismiss(p, worker, a, e);
    if (last_update(p))
        return act(a, (struct act){ .kind = ACT_CREDIT, .worker = worker, .version = p->version },
                   e);
    if (bounds_wait(p, worker))
        return bounds_note_wait(p, worker, e);
    m->seq = m->next++;
    m->working = true;
    m->account.started++;
    bounds_start(p, worker);
    return act(
        a, (struct act){ .kind = ACT_SEND, .worker = worker, .version = p->version, .seq = m->seq },
        e);
}

int void_work(struct policy *p, uint64_t worker, struct acts *a, struct err *e)
{
    struct member *m = &p->member[worker];
    if (voided_add(&m->voided, m->seq, e) < 0)
        return -1;
    bounds_stop(p, worker);
    m->working = false;
    return act(
        a, (struct act){ .kind = ACT_VOID, .worker = worker, .seq = m->seq, .version = m->version },
        e);
}

/* The version on paper, for a contributor that is not here any more (THEORY 1.1). */
static int credit(struct policy *p, uint64_t worker, struct acts *a, struct err *e)
{
    hold_newest(p, &p->member[worker]);
    return act(a, (struct act){ .kind = ACT_CREDIT, .worker = worker, .version = p->version }, e);
}

/* All outstanding work is void, and everybody starts again, in order of rank. */
static int restart_all(struct policy *p, struct acts *a, struct err *e)
{
    for (uint64_t w = 0; w < p->run.workers; w++)
        if (p->member[w].working && void_work(p, w, a, e) < 0)
            return -1;
    for (uint64_t w = 0; w < p->run.workers; w++)
        if (p->member[w].here && grant(p, w, a, e) < 0)
            return -1;
    return 0;
}

static int by_worker(const void *x, const void *y)
{
    const struct share *a = x, *b = y;
    return (a->worker > b->worker) - (a->worker < b->worker);
}

/* The contributors, and nobody else, get the new version, in order of rank. A batch form's contributors
 * have gone on already, but for the one whose push fired: it is the last share. */
static int release(struct policy *p, struct acts *a, struct err *e)
{
    size_t first = p->knobs.distinct ? 0 : p->n_share - 1;
    qsort(p->share + first, p->n_share - first, sizeof *p->share, by_worker);
    for (size_t i = first; i < p->n_share; i++) {
        uint64_t w = p->share[i].worker;
        bool idle = p->member[w].here && !p->member[w].working;
        if ((idle ? grant(p, w, a, e) : credit(p, w, a, e)) < 0)
            return -1;
    }
    return 0;
}

/* Absent contributors of an update that restarts all: only those that are here were granted. */
static int credit_absent(struct policy *p, struct acts *a, struct err *e)
{
    for (size_t i = 0; i < p->n_share; i++) {
        uint64_t w = p->share[i].worker;
        if (p->knobs.distinct && !p->member[w].here && p->member[w].version != p->version &&
            credit(p, w, a, e) < 0)
            return -1;
    }
    return 0;
}

static void settle_accounts(struct policy *p)
{
    for (size_t i = 0; i < p->n_share; i++) {
        struct member *m = &p->member[p->share[i].worker];
        uint64_t s = p->share[i].staleness;
        p->share[i].max = m->account.staleness_max;
        count(p, m, false);
        m->holds = false;
        count(p, m, true);
        m->account.used++;
        m->account.staleness_sum += s;
        if (s > m->account.staleness_max)
            m->account.staleness_max = s;
    }
}

int hand_out(struct policy *p, struct acts *a, struct err *e)
{
    if (!p->knobs.voids)
        return release(p, a, e);
    return restart_all(p, a, e) < 0 ? -1 : credit_absent(p, a, e);
}

int fire(struct policy *p, double now, bool pushed, struct acts *a, struct err *e)
{
    bool idle = p->knobs.voids || p->knobs.distinct || pushed; /* else all have gone on already */
    p->version++;
    if (act(a, (struct act){ .kind = ACT_STEP, .version = p->version, .count = p->n_share }, e) < 0)
        return -1;
    settle_accounts(p);
    if (mark_update(p, e) < 0 || (idle && hand_out(p, a, e) < 0))
        return -1;
    p->n_share = 0;
    return bounds_age(p, a, e) < 0 ? -1 : adapt_update(p, now, a, e);
}

int settle(struct policy *p, double now, struct acts *a, struct err *e)
{
    return p->n_share == 0 || p->n_share < policy_combine(p) ? 0 : fire(p, now, true, a, e);
}

/* What each act did, taken back. */

static void undo_take(struct policy *p, const struct act *a)
{
    struct member *m = &p->member[a->worker];
    m->working = true;
    m->seq = a->seq;
    m->version = a->version;
}

/* Its shares are still there. */
static void undo_step(struct policy *p, const struct act *a)
{
    p->version = a->version - 1;
    for (size_t i = 0; i < a->count; i++) {
        const struct share *s = &p->share[i];
        struct account *account = &p->member[s->worker].account;
        account->used--;
        account->staleness_sum -= s->staleness;
        if (s->max < account->staleness_max)
            account->staleness_max = s->max;
    }
}

static void undo_void(struct policy *p, const struct act *a)
{
    p->member[a->worker].voided.n--;
    undo_take(p, a);
}

static void undo_credit(struct policy *p, const struct act *a)
{
    struct member *m = &p->member[a->worker];
    m->version = m->before;
}

static void undo_send(struct policy *p, const struct act *a)
{
    struct member *m = &p->member[a->worker];
    bounds_stop(p, a->worker);
    m->working = false;
    m->next = a->seq;
    m->account.started--;
    undo_credit(p, a);
}

static void undo_leave(struct policy *p, const struct act *a)
{
    struct member *m = &p->member[a->worker];
    count(p, m, false);
    m->here = true;
    m->done = false;
    count(p, m, true);
    undo_credit(p, a);
}

void policy_undo(struct policy *p, const struct act *v, size_t n)
{
    static void (*const undo[])(struct policy *p, const struct act *a) = {
        [ACT_TAKE] = undo_take, [ACT_STEP] = undo_step,     [ACT_VOID] = undo_void,
        [ACT_SEND] = undo_send, [ACT_CREDIT] = undo_credit, [ACT_LEAVE] = undo_leave,
    };
    while (n-- > 0)
        if (undo[v[n].kind] != NULL)
            undo[v[n].kind](p, &v[n]);
}
