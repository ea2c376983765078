/* When an update fires, and what it does to the workers: the one rule behind every policy. */
#include "policy/policy.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Minibatches of one worker that are void but not yet confirmed so, oldest first. */
struct voided {
    uint64_t *v;
    size_t head, n, cap;
};

/* One of the P places. */
struct member {
    bool here;    /* a worker fills it */
    bool done;    /* all its minibatches were started and none is in hand */
    bool working; /* on live work: minibatch seq, read at version */
    bool holds;   /* its gradient is among those combined (distinct policies) */
    uint64_t seq, next, budget, version;
    struct voided voided;
    struct account account;
};

/* A gradient in the sum of the next update. */
struct share {
    uint64_t worker, staleness;
};

struct policy {
    const struct policy_ops *ops;
    struct policy_run run;
    uint64_t k, version;
    struct member *member; /* (P) */
    uint64_t here;         /* members that are here */
    uint64_t able;         /* that are here, or whose gradient is in the sum */
    uint64_t expected;     /* that are not done, or whose gradient is in the sum */
    struct share *share;   /* (n_share) in order of arrival */
    size_t n_share, share_cap;
};

/* The counters follow a member's flags: take it out, change it, put it back. */
static void count(struct policy *p, const struct member *m, bool in)
{
    uint64_t by = in ? 1 : (uint64_t)-1;
    p->here += m->here ? by : 0;
    p->able += m->here || m->holds ? by : 0;
    p->expected += !m->done || m->holds ? by : 0;
}

struct policy *policy_open(const struct spec *spec, const struct policy_run *run, struct err *e)
{
    const struct policy_ops *ops = (const struct policy_ops *)spec->plug;
    uint64_t k = ops->combine(spec->conf, run->workers);
    if (ops->distinct && k > run->workers) {
        err_set(e, ERR_USAGE, "K=%llu with %llu workers", (unsigned long long)k,
                (unsigned long long)run->workers);
        return NULL;
    }
    struct policy *p = mem_new(1, sizeof *p, e);
    if (p == NULL)
        return NULL;
    p->ops = ops;
    p->run = *run;
    p->k = k;
    p->member = mem_new(run->workers, sizeof *p->member, e);
    if (p->member == NULL) {
        free(p);
        return NULL;
    }
    p->expected = run->workers;
    return p;
}

void policy_close(struct policy *p)
{
    if (p == NULL)
        return;
    for (uint64_t w = 0; w < p->run.workers; w++)
        free(p->member[w].voided.v);
    free(p->member);
    free(p->share);
    free(p);
}

void acts_free(struct acts *a)
{
    free(a->v);
    *a = (struct acts){ 0 };
}

static int act(struct acts *a, struct act one, struct err *e)
{
    if (mem_grow(&a->v, &a->cap, a->n + 1, sizeof *a->v, e) < 0)
        return -1;
    a->v[a->n++] = one;
    return 0;
}

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

/* Confirmations come in the order in which the minibatches were voided. */
static bool voided_take(struct voided *q, uint64_t seq)
{
    if (q->n == 0 || q->v[q->head] != seq)
        return false;
    q->head = --q->n == 0 ? 0 : q->head + 1;
    return true;
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
    return p->ops->distinct && r < p->k ? r : p->k;
}

static bool last_update(const struct policy *p)
{
    return p->run.updates != 0 && p->version >= p->run.updates;
}

/* Grants the current version to an idle worker: it starts its next minibatch, or leaves. */
static int grant(struct policy *p, uint64_t worker, struct acts *a, struct err *e)
{
    struct member *m = &p->member[worker];
    m->version = p->version;
    if (m->next >= m->budget) {
        count(p, m, false);
        m->here = false;
        m->done = true;
        count(p, m, true);
        return act(a, (struct act){ .kind = ACT_LEAVE, .worker = worker, .version = p->version }, e);
    }
    if (last_update(p))
        return act(a, (struct act){ .kind = ACT_CREDIT, .worker = worker, .version = p->version }, e);
    m->seq = m->next++;
    m->working = true;
    m->account.started++;
    return act(a, (struct act){ .kind = ACT_SEND, .worker = worker, .version = p->version, .seq = m->seq },
               e);
}

/* The version on paper, for a contributor that is not here any more (THEORY 1.1). */
static int credit(struct policy *p, uint64_t worker, struct acts *a, struct err *e)
{
    p->member[worker].version = p->version;
    return act(a, (struct act){ .kind = ACT_CREDIT, .worker = worker, .version = p->version }, e);
}

/* All outstanding work is void, and everybody starts again, in order of rank. */
static int restart_all(struct policy *p, struct acts *a, struct err *e)
{
    for (uint64_t w = 0; w < p->run.workers; w++) {
        struct member *m = &p->member[w];
        if (!m->working)
            continue;
        if (voided_add(&m->voided, m->seq, e) < 0 ||
            act(a, (struct act){ .kind = ACT_VOID, .worker = w, .seq = m->seq, .version = m->version },
                e) < 0)
            return -1;
        m->working = false;
    }
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
    size_t first = p->ops->distinct ? 0 : p->n_share - 1;
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
        if (p->ops->distinct && !p->member[w].here && p->member[w].version != p->version &&
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
        count(p, m, false);
        m->holds = false;
        count(p, m, true);
        m->account.used++;
        m->account.staleness_sum += s;
        if (s > m->account.staleness_max)
            m->account.staleness_max = s;
    }
}

/* Fires when the gradients combined suffice. */
static int settle(struct policy *p, struct acts *a, struct err *e)
{
    if (p->n_share == 0 || p->n_share < policy_combine(p))
        return 0;
    p->version++;
    if (act(a, (struct act){ .kind = ACT_STEP, .version = p->version, .count = p->n_share }, e) < 0)
        return -1;
    settle_accounts(p);
    if (p->ops->voids) {
        if (restart_all(p, a, e) < 0 || credit_absent(p, a, e) < 0)
            return -1;
    } else if (release(p, a, e) < 0) {
        return -1;
    }
    p->n_share = 0;
    return 0;
}

int policy_join(struct policy *p, double now, uint64_t worker, uint64_t budget, struct acts *a,
                struct err *e)
{
    (void)now;
    struct member *m = &p->member[worker];
    assert(!m->here);
    a->n = 0;
    count(p, m, false);
    m->here = true;
    m->done = false;
    m->budget = budget;
    count(p, m, true);
    if (m->holds)
        return 0; /* its predecessor's gradient is in the sum: it waits for that update */
    return grant(p, worker, a, e);
}

/* The gradient goes into the sum; a batch form's worker goes on at once unless it fired. */
static int take(struct policy *p, uint64_t worker, struct acts *a, struct err *e)
{
    struct member *m = &p->member[worker];
    uint64_t staleness = p->version - m->version;
    if (mem_grow(&p->share, &p->share_cap, p->n_share + 1, sizeof *p->share, e) < 0)
        return -1;
    p->share[p->n_share++] = (struct share){ worker, staleness };
    m->working = false;
    count(p, m, false);
    m->holds = p->ops->distinct;
    count(p, m, true);
    if (act(a, (struct act){ .kind = ACT_TAKE, .worker = worker, .seq = m->seq, .version = m->version,
                             .staleness = staleness }, e) < 0)
        return -1;
    if (!p->ops->distinct && p->n_share < policy_combine(p) && grant(p, worker, a, e) < 0)
        return -1;
    return settle(p, a, e);
}

int policy_push(struct policy *p, double now, uint64_t worker, uint64_t seq, struct acts *a,
                struct err *e)
{
    (void)now;
    struct member *m = &p->member[worker];
    a->n = 0;
    if (voided_take(&m->voided, seq)) {
        m->account.late++;
        return act(a, (struct act){ .kind = ACT_LATE, .worker = worker, .seq = seq }, e);
    }
    if (!m->working || m->seq != seq || m->voided.n > 0)
        return err_set(e, ERR_PEER, "a gradient of minibatch %llu, which was not its to make",
                       (unsigned long long)seq);
    return take(p, worker, a, e);
}

static int cancel(struct member *m, uint64_t worker, uint64_t seq, struct acts *a, struct err *e)
{
    m->account.cancelled++;
    return act(a, (struct act){ .kind = ACT_CANCEL, .worker = worker, .seq = seq }, e);
}

int policy_cancelled(struct policy *p, double now, uint64_t worker, uint64_t seq, struct acts *a,
                     struct err *e)
{
    (void)now;
    a->n = 0;
    if (!voided_take(&p->member[worker].voided, seq))
        return err_set(e, ERR_PEER, "minibatch %llu broken off, which was not void",
                       (unsigned long long)seq);
    return cancel(&p->member[worker], worker, seq, a, e);
}

int policy_unsent(struct policy *p, double now, uint64_t worker, struct acts *a, struct err *e)
{
    (void)now;
    struct voided *q = &p->member[worker].voided;
    assert(q->n > 0);
    a->n = 0;
    return cancel(&p->member[worker], worker, q->v[q->head + --q->n], a, e);
}

int policy_gone(struct policy *p, double now, uint64_t worker, struct acts *a, struct err *e)
{
    (void)now;
    struct member *m = &p->member[worker];
    a->n = 0;
    for (; m->voided.n > 0; m->voided.n--)
        if (cancel(m, worker, m->voided.v[m->voided.head++], a, e) < 0)
            return -1;
    m->voided.head = 0;
    if (m->working && cancel(m, worker, m->seq, a, e) < 0)
        return -1;
    m->working = false;
    if (!m->here)
        return 0;
    count(p, m, false);
    m->here = false;
    m->done = m->next >= m->budget;
    count(p, m, true);
    return settle(p, a, e);
}

bool policy_here(const struct policy *p, uint64_t worker)
{
    return p->member[worker].here;
}

bool policy_done(const struct policy *p, uint64_t worker)
{
    return p->member[worker].done;
}

bool policy_working(const struct policy *p, uint64_t worker, uint64_t *seq)
{
    *seq = p->member[worker].seq;
    return p->member[worker].working;
}

uint64_t policy_granted(const struct policy *p, uint64_t worker)
{
    return p->member[worker].version;
}

bool policy_stalled(const struct policy *p)
{
    if (policy_ended(p))
        return false;
    return p->ops->distinct ? p->able < policy_combine(p) : p->here == 0;
}

bool policy_ended(const struct policy *p)
{
    return last_update(p) || p->expected == 0;
}

uint64_t policy_version(const struct policy *p)
{
    return p->version;
}

struct account policy_account(const struct policy *p, uint64_t worker)
{
    struct account s = p->member[worker].account;
    s.unfinished = s.started - s.used - s.cancelled - s.late - s.dropped;
    return s;
}
