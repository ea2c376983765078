/* The one owner of the parameters: carries out a policy's acts for server and simulator alike. */
#include "run/aggregate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/correct.h"
#include "run/versions.h"

/* A gradient that waits for the update. */
struct held {
    const float *g; /* NULL: none */
    uint64_t staleness;
};

struct aggregate {
    struct aggregate_conf conf;
    const struct optimizer_ops *optimizer;
    const struct step_ops *step;
    void *state; /* the optimizer's */
    struct policy *policy;
    struct acts acts, unsent;
    float *w, *next, *sum; /* (size) each */
    struct held *held;     /* (P), by rank */
    struct correct *correct;
    struct versions *versions; /* what workers read; NULL when nobody needs it */
    bool summed;           /* something is in `sum` already */
    uint64_t iteration;    /* updates applied to w */
    double loss_sum, loss; /* over the gradients combined; of the last update */
    struct trace_writer *trace;
    const struct aggregate_calls *calls;
    void *self;
};

/* One event while its acts are carried out. */
struct turn {
    double now;
    const struct gradient_in *g; /* or NULL */
    double compute, delay;       /* of a minibatch broken off; NAN when unknown */
    const char *note;            /* why it was broken off, or "" */
    uint64_t holder, held;       /* this worker holds that version; NOBODY: no one does */
    const float *alone;          /* a gradient that makes an update all by itself */
    bool stepped;
};
#define NOBODY UINT64_MAX

static int aggregate_fill(struct aggregate *a, const float *w, struct err *e)
{
    size_t n = a->conf.layout->size;
    a->w = mem_new(n, sizeof *a->w, e);
    a->next = mem_new(n, sizeof *a->next, e);
    a->sum = mem_new(n, sizeof *a->sum, e);
    a->held = mem_new(a->conf.run.workers, sizeof *a->held, e);
    if (a->w == NULL || a->next == NULL || a->sum == NULL || a->held == NULL)
        return -1;
    memcpy(a->w, w, n * sizeof *w);
    a->state = a->optimizer->open(a->conf.optimizer->conf, n, e);
    a->policy = policy_open(a->conf.policy, &a->conf.run, e);
    struct correct_conf correct = { a->conf.clip, a->conf.correct, a->conf.step, a->conf.run.workers };
    a->correct = correct_open(&correct, n, e);
    if (a->state == NULL || a->policy == NULL || a->correct == NULL)
        return -1;
    if (!a->conf.keep_read && !correct_needs_read(a->correct))
        return 0;
    a->versions = versions_open(n, a->conf.run.workers, e);
    return a->versions == NULL ? -1 : 0;
}

struct aggregate *aggregate_open(const struct aggregate_conf *conf, const float *w,
                                 struct trace_writer *trace, const struct aggregate_calls *calls,
                                 void *self, struct err *e)
{
    struct aggregate *a = mem_new(1, sizeof *a, e);
    if (a == NULL)
        return NULL;
    a->conf = *conf;
    a->optimizer = (const struct optimizer_ops *)conf->optimizer->plug;
    a->step = (const struct step_ops *)conf->step->plug;
    a->loss = NAN;
    a->trace = trace;
    a->calls = calls;
    a->self = self;
    if (aggregate_fill(a, w, e) < 0) {
        aggregate_close(a);
        return NULL;
    }
    return a;
}

void aggregate_close(struct aggregate *a)
{
    if (a == NULL)
        return;
    if (a->state != NULL)
        a->optimizer->close(a->state);
    policy_close(a->policy);
    correct_close(a->correct);
    versions_close(a->versions);
    acts_free(&a->acts);
    acts_free(&a->unsent);
    free(a->held);
    free(a->sum);
    free(a->next);
    free(a->w);
    free(a);
}

static void trace_worker(struct aggregate *a, struct trace_event ev, uint64_t worker, const char *note)
{
    ev.worker = worker;
    snprintf(ev.note, sizeof ev.note, "%s", note);
    trace_write(a->trace, &ev);
}

static const float *corrected(struct aggregate *a, uint64_t worker, const struct held *h)
{
    const float *read = a->versions == NULL ? NULL : versions_read(a->versions, worker);
    return correct_gradient(a->correct, h->g, a->w, read, h->staleness);
}

/* sum += the gradient as corrected, or sum = it for the first. */
static void add(struct aggregate *a, uint64_t worker, const struct held *h)
{
    size_t n = a->conf.layout->size;
    const float *restrict g = corrected(a, worker, h);
    float *restrict sum = a->sum;
    if (!a->summed)
        memcpy(sum, g, n * sizeof *sum);
    else
        for (size_t i = 0; i < n; i++)
            sum[i] += g[i];
    a->summed = true;
}

/* Gradients held are added by rank, so that the bits do not depend on who came first. */
static const float *sum_held(struct aggregate *a)
{
    for (uint64_t r = 0; r < a->conf.run.workers; r++) {
        if (a->held[r].g != NULL)
            add(a, r, &a->held[r]);
        a->held[r].g = NULL;
    }
    return a->sum;
}

static int diverged(const struct aggregate *a, const char *what, struct err *e)
{
    return err_set(e, ERR_NO, "update %ju: %s is not a finite number; lower the step (-e)",
                   (uintmax_t)a->iteration + 1, what);
}

static void trace_work(struct trace_event *ev, const struct gradient_in *g)
{
    ev->rows = g->rows;
    ev->compute = g->compute;
    ev->delay = g->delay;
    ev->loss = g->loss;
}

/* The gradient just taken is held, added, or, when it makes an update all by itself, used as it is. */
static int on_take(struct aggregate *a, const struct act *act, struct turn *t, struct err *e)
{
    (void)e;
    struct trace_event ev = trace_event(TRACE_PUSH, t->now);
    ev.seq = act->seq;
    ev.version = act->version;
    ev.iteration = a->iteration;
    ev.staleness = act->staleness;
    trace_work(&ev, t->g);
    trace_worker(a, ev, act->worker, "");
    a->loss_sum += t->g->loss;
    bool last = act + 1 == a->acts.v + a->acts.n;
    struct held h = { t->g->g, act->staleness };
    if (!last && act[1].kind == ACT_STEP && act[1].count == 1)
        t->alone = corrected(a, act->worker, &h);
    else if (policy_knobs(a->policy)->distinct)
        a->held[act->worker] = h;
    else
        add(a, act->worker, &h);
    return 0;
}

static int unused(struct aggregate *a, enum trace_kind kind, const struct act *act, struct turn *t)
{
    struct trace_event ev = trace_event(kind, t->now);
    ev.seq = act->seq;
    ev.version = t->g->version;
    if (act->kind == ACT_DROP) {
        ev.iteration = a->iteration;
        ev.staleness = act->staleness;
    }
    trace_work(&ev, t->g);
    trace_worker(a, ev, act->worker, "");
    return 0;
}

static int on_late(struct aggregate *a, const struct act *act, struct turn *t, struct err *e)
{
    (void)e;
    return unused(a, TRACE_LATE, act, t);
}

static int on_drop(struct aggregate *a, const struct act *act, struct turn *t, struct err *e)
{
    (void)e;
    return unused(a, TRACE_DROP, act, t);
}

static int on_set(struct aggregate *a, const struct act *act, struct turn *t, struct err *e)
{
    (void)e;
    struct trace_event ev = trace_event(TRACE_SET, t->now);
    ev.version = ev.iteration = act->version;
    snprintf(ev.note, sizeof ev.note, "K=%ju", (uintmax_t)act->count);
    trace_write(a->trace, &ev);
    return 0;
}

static const float *sum_of(struct aggregate *a, const struct turn *t)
{
    if (t->alone != NULL)
        return t->alone;
    return policy_knobs(a->policy)->distinct ? sum_held(a) : a->sum;
}

static int on_step(struct aggregate *a, const struct act *act, struct turn *t, struct err *e)
{
    struct step_input in = {
        .layout = a->conf.layout,
        .w = a->w,
        .sum = sum_of(a, t),
        .next = a->next,
        .count = (double)act->count,
        .rate = a->step->base(a->conf.step->conf, a->iteration),
        .l2 = a->conf.l2,
    };
    if (!a->optimizer->apply(a->state, &in))
        return diverged(a, "a parameter", e);
    float *was = a->w;
    a->w = a->next;
    a->next = was;
    a->iteration = act->version;
    a->loss = a->loss_sum / (double)act->count;
    a->loss_sum = 0;
    a->summed = false;
    t->stepped = true;
    struct trace_event ev = trace_event(TRACE_UPDATE, t->now);
    ev.version = ev.iteration = act->version;
    ev.loss = a->loss;
    snprintf(ev.note, sizeof ev.note, "n=%ju", (uintmax_t)act->count);
    trace_write(a->trace, &ev);
    return 0;
}

static int on_void(struct aggregate *a, const struct act *act, struct turn *t, struct err *e)
{
    (void)e;
    struct trace_event ev = trace_event(TRACE_VOID, t->now);
    ev.seq = act->seq;
    ev.version = act->version;
    trace_worker(a, ev, act->worker, "");
    return 0;
}

static int on_cancel(struct aggregate *a, const struct act *act, struct turn *t, struct err *e)
{
    (void)e;
    struct trace_event ev = trace_event(TRACE_CANCELLED, t->now);
    ev.seq = act->seq;
    ev.compute = t->compute;
    ev.delay = t->delay;
    trace_worker(a, ev, act->worker, t->note);
    return 0;
}

static void trace_grant(struct aggregate *a, enum trace_kind kind, const struct act *act, uint64_t seq,
                        double now, const char *note)
{
    struct trace_event ev = trace_event(kind, now);
    ev.version = act->version;
    ev.seq = seq;
    trace_worker(a, ev, act->worker, note);
}

/* A grant that the engine puts in the place of one that never went out takes that one's seq with it. */
static int on_send(struct aggregate *a, const struct act *act, struct turn *t, struct err *e)
{
    bool again = act->worker == t->holder && act->version == t->held;
    if (a->versions != NULL && versions_hold(a->versions, act->worker, act->version, a->w, e) < 0)
        return -1;
    trace_grant(a, TRACE_SEND, act, act->seq, t->now, "");
    if (a->calls->send(a->self, act->worker, act->version, act->seq, again) == 0)
        return 0;
    struct turn unsent = { .now = t->now, .note = "unsent" };
    if (policy_unsent(a->policy, t->now, act->worker, &a->unsent, e) < 0)
        return -1;
    return on_cancel(a, &a->unsent.v[0], &unsent, e);
}

static int on_credit(struct aggregate *a, const struct act *act, struct turn *t, struct err *e)
{
    (void)e;
    trace_grant(a, TRACE_SEND, act, TRACE_NA, t->now, "on paper");
    return 0;
}

static int on_leave(struct aggregate *a, const struct act *act, struct turn *t, struct err *e)
{
    (void)e;
    trace_grant(a, TRACE_LEAVE, act, TRACE_NA, t->now, "");
    if (a->versions != NULL)
        versions_drop(a->versions, act->worker);
    a->calls->leave(a->self, act->worker);
    return 0;
}

/* How each act is carried out. */
static int (*const carry[])(struct aggregate *, const struct act *, struct turn *, struct err *) = {
    [ACT_TAKE] = on_take,     [ACT_LATE] = on_late,     [ACT_STEP] = on_step, [ACT_VOID] = on_void,
    [ACT_SEND] = on_send,     [ACT_CREDIT] = on_credit, [ACT_CANCEL] = on_cancel,
    [ACT_DROP] = on_drop,     [ACT_SET] = on_set,       [ACT_LEAVE] = on_leave,
};

/* All that the policy said, in its order. */
static int carry_out(struct aggregate *a, struct turn *t, struct err *e)
{
    for (size_t i = 0; i < a->acts.n; i++) {
        const struct act *act = &a->acts.v[i];
        if (carry[act->kind](a, act, t, e) < 0)
            return -1;
    }
    if (t->stepped)
        a->calls->updated(a->self, t->now);
    return 0;
}

int aggregate_join(struct aggregate *a, double now, uint64_t worker, uint64_t budget, const char *note,
                   struct err *e)
{
    if (policy_join(a->policy, now, worker, budget, &a->acts, e) < 0)
        return -1;
    struct trace_event ev = trace_event(TRACE_JOIN, now);
    ev.version = policy_granted(a->policy, worker);
    trace_worker(a, ev, worker, note);
    struct turn t = { .now = now, .note = "", .holder = NOBODY };
    return carry_out(a, &t, e);
}

int aggregate_push(struct aggregate *a, double now, uint64_t worker, const struct gradient_in *g,
                   struct err *e)
{
    uint64_t seq, version = policy_granted(a->policy, worker);
    if (policy_working(a->policy, worker, &seq) && seq == g->seq && version != g->version)
        return err_set(e, ERR_PEER, "a gradient on version %ju, which was not sent",
                       (uintmax_t)g->version);
    if (policy_push(a->policy, now, worker, g->seq, g->loss, &a->acts, e) < 0)
        return -1;
    bool used = a->acts.n > 0 && a->acts.v[0].kind == ACT_TAKE;
    if (used && !isfinite(g->loss))
        return diverged(a, "the loss", e);
    struct turn t = { .now = now, .g = g, .note = "", .holder = worker, .held = version };
    return carry_out(a, &t, e);
}

int aggregate_cancelled(struct aggregate *a, double now, uint64_t worker, uint64_t seq, double compute,
                        double delay, struct err *e)
{
    if (policy_cancelled(a->policy, now, worker, seq, &a->acts, e) < 0)
        return -1;
    struct turn t = { .now = now, .compute = compute, .delay = delay, .note = "", .holder = NOBODY };
    return carry_out(a, &t, e);
}

int aggregate_gone(struct aggregate *a, double now, uint64_t worker, const char *note, struct err *e)
{
    if (policy_gone(a->policy, now, worker, &a->acts, e) < 0)
        return -1;
    trace_worker(a, trace_event(TRACE_GONE, now), worker, note);
    struct turn t = { .now = now, .compute = NAN, .delay = NAN, .note = "gone", .holder = NOBODY };
    return carry_out(a, &t, e);
}

void aggregate_farewell(struct aggregate *a, double now, uint64_t worker, uint64_t seq, double compute,
                        double delay)
{
    struct err not_void = { 0 };
    if (!policy_here(a->policy, worker) ||
        aggregate_cancelled(a, now, worker, seq, compute, delay, &not_void) == 0)
        return;
    struct trace_event ev = trace_event(TRACE_LEAVE, now);
    ev.version = policy_granted(a->policy, worker);
    uint64_t live;
    if (policy_working(a->policy, worker, &live) && live == seq) {
        ev.seq = seq;
        ev.compute = compute;
        ev.delay = delay;
    }
    trace_worker(a, ev, worker, "");
}

void aggregate_stop(struct aggregate *a, double now, const char *why)
{
    struct trace_event ev = trace_event(TRACE_STOP, now);
    ev.version = ev.iteration = aggregate_iteration(a);
    ev.loss = a->loss;
    snprintf(ev.note, sizeof ev.note, "%s", why);
    trace_write(a->trace, &ev);
}

const float *aggregate_w(const struct aggregate *a)
{
    return a->w;
}

uint64_t aggregate_iteration(const struct aggregate *a)
{
    return a->iteration;
}

double aggregate_loss(const struct aggregate *a)
{
    return a->loss;
}

bool aggregate_holds(const struct aggregate *a, uint64_t worker)
{
    return a->held[worker].g != NULL;
}

const float *aggregate_read(const struct aggregate *a, uint64_t worker)
{
    return a->versions == NULL ? NULL : versions_read(a->versions, worker);
}

const struct policy *aggregate_policy(const struct aggregate *a)
{
    return a->policy;
}
