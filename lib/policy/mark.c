/* The state right after an update, and how a run goes on from there without its workers. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "policy/machine.h"

enum { MARKS = 2 };

int mark_open(struct policy *p, struct err *e)
{
    for (int i = 0; i < MARKS && p->run.marks; i++) {
        p->mark[i].place = mem_new(p->run.workers, sizeof *p->mark[i].place, e);
        if (p->mark[i].place == NULL)
            return -1;
    }
    return p->run.marks ? mark_update(p, e) : 0;
}

void mark_close(struct policy *p)
{
    for (int i = 0; i < MARKS; i++) {
        free(p->mark[i].place);
        free(p->mark[i].contributor);
        free(p->mark[i].voided);
    }
}

static struct policy_place place_of(const struct member *m)
{
    const struct account *a = &m->account;
    return (struct policy_place){
        .here = m->here,
        .working = m->working,
        .seq = m->seq,
        .next = m->next,
        .version = m->version,
        .started = a->started,
        .used = a->used,
        .cancelled = a->cancelled,
        .late = a->late,
        .dropped = a->dropped,
        .staleness_sum = a->staleness_sum,
        .staleness_max = a->staleness_max,
    };
}

static int mark_voided(struct policy_mark *k, const struct member *m, uint64_t worker, struct err *e)
{
    const struct voided *q = &m->voided;
    if (mem_grow(&k->voided, &k->voids_cap, k->voids + q->n, sizeof *k->voided, e) < 0)
        return -1;
    for (size_t i = 0; i < q->n; i++)
        k->voided[k->voids++] = (struct policy_void){ worker, q->v[q->head + i] };
    return 0;
}

static struct policy_follow follow_of(const struct policy *p)
{
    return (struct policy_follow){
        .combine = (double)p->knobs.combine,
        .due = p->due,
        .loss_sum = p->loss_sum,
        .losses = (double)p->n_loss,
        .told = p->told,
        .told_loss = p->told_loss,
        .first = p->first,
    };
}

int mark_update(struct policy *p, struct err *e)
{
    struct policy_mark *k = &p->mark[p->version % MARKS];
    if (!p->run.marks)
        return 0;
    k->version = p->version;
    k->voids = 0;
    for (uint64_t w = 0; w < p->run.workers; w++) {
        k->place[w] = place_of(&p->member[w]);
        if (p->member[w].voided.n > 0 && mark_voided(k, &p->member[w], w, e) < 0)
            return -1;
    }
    if (mem_grow(&k->contributor, &k->contributors_cap, p->n_share, sizeof *k->contributor, e) < 0)
        return -1;
    for (size_t i = 0; i < p->n_share; i++)
        k->contributor[i] = p->share[i].worker;
    k->contributors = p->n_share;
    k->follow = follow_of(p);
    return 0;
}

const struct policy_mark *policy_mark(const struct policy *p, uint64_t version)
{
    return &p->mark[version % MARKS];
}

static bool possible(const struct policy_place *l, uint64_t version)
{
    uint64_t ends = l->used + l->cancelled + l->late + l->dropped;
    return l->version <= version && l->started <= l->next && ends <= l->started &&
           (!l->working || (l->here && l->seq < l->next));
}

/* What comes from a file may be anything. */
static int check(const struct policy *p, const struct policy_mark *m, struct err *e)
{
    for (uint64_t w = 0; w < p->run.workers; w++)
        if (!possible(&m->place[w], m->version))
            return err_set(e, ERR_DATA, "the state of worker %ju cannot be", (uintmax_t)w);
    for (size_t i = 0; i < m->voids; i++)
        if (m->voided[i].worker >= p->run.workers ||
            m->voided[i].seq >= m->place[m->voided[i].worker].next)
            return err_set(e, ERR_DATA, "void minibatch %zu is none of a worker's", i);
    for (size_t i = 0; i < m->contributors; i++)
        if (m->contributor[i] >= p->run.workers)
            return err_set(e, ERR_DATA, "gradient %zu of the last update is of no worker", i);
    if (!(m->follow.combine >= 1 && m->follow.combine < 0x1p53 && m->follow.losses >= 0 &&
          m->follow.losses < 0x1p53) || (m->version > 0) != (m->contributors > 0))
        return err_set(e, ERR_DATA, "the state of the policy cannot be");
    return 0;
}

/* Nobody is at this place any more, and nothing in hand but what is cancelled next. */
static void put_back(struct member *m, const struct policy_place *l, uint64_t budget)
{
    struct voided voided = { .v = m->voided.v, .cap = m->voided.cap };
    *m = (struct member){
        .done = l->next >= budget,
        .seq = l->seq,
        .next = l->next,
        .budget = budget,
        .version = l->version,
        .before = l->version,
        .voided = voided,
        .account = { .started = l->started,
                     .used = l->used,
                     .cancelled = l->cancelled,
                     .late = l->late,
                     .dropped = l->dropped,
                     .staleness_sum = l->staleness_sum,
                     .staleness_max = l->staleness_max },
    };
}

static void put_back_rest(struct policy *p, const struct policy_mark *m)
{
    p->version = m->version;
    p->knobs.combine = (uint64_t)m->follow.combine;
    p->due = m->follow.due;
    p->loss_sum = m->follow.loss_sum;
    p->n_loss = (uint64_t)m->follow.losses;
    p->told = m->follow.told != 0;
    p->told_loss = m->follow.told_loss;
    p->first = m->follow.first;
    p->oldest = p->youngest = NONE;
    p->slowest = p->n_slowest = p->n_waiting = p->n_share = 0;
    p->here = p->able = p->expected = 0;
    for (uint64_t w = 0; w < p->run.workers; w++)
        count(p, &p->member[w], true);
}

static int cancel_all(struct policy *p, const struct policy_mark *m, struct acts *a, struct err *e)
{
    for (size_t i = 0; i < m->voids; i++) {
        uint64_t w = m->voided[i].worker;
        if (cancel(&p->member[w], w, m->voided[i].seq, a, e) < 0)
            return -1;
    }
    for (uint64_t w = 0; w < p->run.workers; w++)
        if (m->place[w].working && cancel(&p->member[w], w, m->place[w].seq, a, e) < 0)
            return -1;
    return 0;
}

static int credit_all(struct policy *p, const struct policy_mark *m, struct acts *a, struct err *e)
{
    if (m->contributors == 0)
        return 0;
    if (mem_grow(&p->share, &p->share_cap, m->contributors, sizeof *p->share, e) < 0)
        return -1;
    for (size_t i = 0; i < m->contributors; i++)
        p->share[i] = (struct share){ .worker = m->contributor[i] };
    p->n_share = m->contributors;
    int rc = hand_out(p, a, e);
    p->n_share = 0;
    return rc;
}

/* The state that a run is resumed from is its last one until the next update. */
static int keep(struct policy *p, const struct policy_mark *m, struct err *e)
{
    struct policy_mark *k = &p->mark[m->version % MARKS];
    if (k == m || !p->run.marks)
        return 0;
    if (mem_grow(&k->contributor, &k->contributors_cap, m->contributors, sizeof *k->contributor, e) < 0 ||
        mem_grow(&k->voided, &k->voids_cap, m->voids, sizeof *k->voided, e) < 0)
        return -1;
    memcpy(k->place, m->place, p->run.workers * sizeof *k->place);
    for (size_t i = 0; i < m->contributors; i++)
        k->contributor[i] = m->contributor[i];
    for (size_t i = 0; i < m->voids; i++)
        k->voided[i] = m->voided[i];
    k->version = m->version;
    k->contributors = m->contributors;
    k->voids = m->voids;
    k->follow = m->follow;
    return 0;
}

int policy_resume(struct policy *p, const struct policy_mark *m, const uint64_t *budget,
                  uint64_t updates, struct acts *a, struct err *e)
{
    a->n = 0;
    if (check(p, m, e) < 0 || keep(p, m, e) < 0)
        return -1;
    p->run.updates = updates;
    for (uint64_t w = 0; w < p->run.workers; w++)
        put_back(&p->member[w], &m->place[w], budget[w]);
    put_back_rest(p, m);
    return cancel_all(p, m, a, e) < 0 ? -1 : credit_all(p, m, a, e);
}
