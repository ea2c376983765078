/* When an update fires, and what it does to the workers: the events. */
#include "policy/machine.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

void count(struct policy *p, const struct member *m, bool in)
{
    uint64_t by = in ? 1 : (uint64_t)-1;
    p->here += m->here ? by : 0;
    p->able += m->here || m->holds ? by : 0;
    p->expected += !m->done || m->holds ? by : 0;
}

int act(struct acts *a, struct act one, struct err *e)
{
    if (mem_grow(&a->v, &a->cap, a->n + 1, sizeof *a->v, e) < 0)
        return -1;
    a->v[a->n++] = one;
    return 0;
}

void acts_free(struct acts *a)
{
    free(a->v);
    *a = (struct acts){ 0 };
}

struct policy *policy_open(const struct spec *spec, const struct policy_run *run, struct err *e)
{
    struct knobs knobs = { .ahead = NO_BOUND, .age = NO_BOUND };
    ((const struct policy_ops *)spec->plug)->knobs(spec->conf, run->workers, &knobs);
    if (knobs.distinct && knobs.combine > run->workers) {
        err_set(e, ERR_USAGE, "K=%ju with %ju worker%s", (uintmax_t)knobs.combine,
                (uintmax_t)run->workers, run->workers == 1 ? "" : "s");
        return NULL;
    }
    struct policy *p = mem_new(1, sizeof *p, e);
    if (p == NULL)
        return NULL;
    p->knobs = knobs;
    p->run = *run;
    p->expected = run->workers;
    p->oldest = p->youngest = NONE;
    p->due = knobs.adapt != NULL && !knobs.adapt->full ? knobs.adapt->every : 0;
    p->member = mem_new(run->workers, sizeof *p->member, e);
    if (p->member != NULL && mark_open(p, e) == 0)
        return p;
    policy_close(p);
    return NULL;
}

void policy_close(struct policy *p)
{
    if (p == NULL)
        return;
    for (uint64_t w = 0; p->member != NULL && w < p->run.workers; w++)
        free(p->member[w].voided.v);
    mark_close(p);
    free(p->member);
    free(p->share);
    free(p->waiting);
    free(p);
}

/* Confirmations come in the order in which the minibatches were voided. */
static bool voided_take(struct voided *q, uint64_t seq)
{
    if (q->n == 0 || q->v[q->head] != seq)
        return false;
    q->head = --q->n == 0 ? 0 : q->head + 1;
    return true;
}

int policy_join(struct policy *p, double now, uint64_t worker, uint64_t budget, struct acts *a,
                struct err *e)
{
    (void)now;
    struct member *m = &p->member[worker];
    assert(!m->here);
    a->n = 0;
    bounds_arrive(p, worker);
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
static int take(struct policy *p, double now, uint64_t worker, double loss, struct acts *a,
                struct err *e)
{
    struct member *m = &p->member[worker];
    uint64_t staleness = p->version - m->version;
    if (mem_grow(&p->share, &p->share_cap, p->n_share + 1, sizeof *p->share, e) < 0)
        return -1;
    p->share[p->n_share++] = (struct share){ worker, staleness, 0 };
    adapt_loss(p, loss);
    count(p, m, false);
    m->holds = p->knobs.distinct;
    count(p, m, true);
    if (act(a,
            (struct act){ .kind = ACT_TAKE,
                          .worker = worker,
                          .seq = m->seq,
                          .version = m->version,
                          .staleness = staleness },
            e) < 0)
        return -1;
    if (!p->knobs.distinct && p->n_share < policy_combine(p) && grant(p, worker, a, e) < 0)
        return -1;
    return settle(p, now, a, e);
}

/* Too old: the worker starts again on the newest parameters. */
static int drop(struct policy *p, uint64_t worker, struct acts *a, struct err *e)
{
    struct member *m = &p->member[worker];
    m->account.dropped++;
    if (act(a,
            (struct act){ .kind = ACT_DROP,
                          .worker = worker,
                          .seq = m->seq,
                          .version = m->version,
                          .staleness = p->version - m->version },
            e) < 0)
        return -1;
    return grant(p, worker, a, e);
}

int policy_push(struct policy *p, double now, uint64_t worker, uint64_t seq, double loss,
                struct acts *a, struct err *e)
{
    struct member *m = &p->member[worker];
    a->n = 0;
    if (voided_take(&m->voided, seq)) {
        m->account.late++;
        return act(a, (struct act){ .kind = ACT_LATE, .worker = worker, .seq = seq }, e);
    }
    if (!m->working || m->seq != seq || m->voided.n > 0)
        return err_set(e, ERR_PEER, "a gradient of minibatch %ju, which was not its to make",
                       (uintmax_t)seq);
    bounds_stop(p, worker);
    bounds_step(p, worker);
    m->working = false;
    if (p->version - m->version >= p->knobs.age)
        return drop(p, worker, a, e);
    return take(p, now, worker, loss, a, e) < 0 ? -1 : bounds_release(p, a, e);
}

int cancel(struct member *m, uint64_t worker, uint64_t seq, struct acts *a, struct err *e)
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
        return err_set(e, ERR_PEER, "minibatch %ju broken off, which was not void", (uintmax_t)seq);
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
    struct member *m = &p->member[worker];
    a->n = 0;
    for (; m->voided.n > 0; m->voided.n--)
        if (cancel(m, worker, m->voided.v[m->voided.head++], a, e) < 0)
            return -1;
    m->voided.head = 0;
    if (m->working && cancel(m, worker, m->seq, a, e) < 0)
        return -1;
    bounds_stop(p, worker);
    m->working = false;
    if (!m->here)
        return 0;
    bounds_depart(p, worker);
    count(p, m, false);
    m->here = false;
    m->done = m->next >= m->budget;
    count(p, m, true);
    return settle(p, now, a, e) < 0 ? -1 : bounds_release(p, a, e);
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

bool policy_voided(const struct policy *p, uint64_t worker)
{
    return p->member[worker].voided.n > 0;
}

uint64_t policy_granted(const struct policy *p, uint64_t worker)
{
    return p->member[worker].version;
}

bool policy_stalled(const struct policy *p)
{
    if (policy_ended(p))
        return false;
    return p->knobs.distinct ? p->able < policy_combine(p) : p->here == 0;
}

/* Nothing is in the sum: who is expected still is lost. */
static bool only_lost_left(const struct policy *p)
{
    return p->run.loss == POLICY_SHRINK && p->here == 0 && p->n_share == 0 &&
           p->expected < p->run.workers;
}

bool policy_ended(const struct policy *p)
{
    bool last = p->run.updates != 0 && p->version >= p->run.updates;
    return last || p->expected == 0 || only_lost_left(p);
}

uint64_t policy_version(const struct policy *p)
{
    return p->version;
}

const struct knobs *policy_knobs(const struct policy *p)
{
    return &p->knobs;
}

struct account policy_account(const struct policy *p, uint64_t worker)
{
    struct account s = p->member[worker].account;
    s.unfinished = s.started - s.used - s.cancelled - s.late - s.dropped;
    return s;
}
