/* The one owner of the parameters: carries out a policy's acts for server and simulator alike. */
#include "run/aggregate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct aggregate {
    struct aggregate_conf conf;
    const struct policy_ops *ops;
    const struct optimizer_ops *optimizer;
    const struct step_ops *step;
    void *state; /* the optimizer's */
    struct policy *policy;
    struct acts acts, unsent;
    float *w, *next, *sum; /* (size) each */
    const float **held;    /* (P): gradients that wait for the update, by rank */
    bool summed;           /* something is in `sum` already */
    double loss_sum, loss; /* over the gradients combined; of the last update */
    struct trace_writer *trace;
    const struct aggregate_calls *calls;
    void *self;
};

/* What came with the event whose acts are carried out. */
struct event {
    double now;
    const struct gradient_in *g; /* or NULL */
    double compute, delay;       /* of a minibatch broken off; NAN when unknown */
    const char *note;            /* why it was broken off, or "" */
};

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
    return a->state == NULL || a->policy == NULL ? -1 : 0;
}

struct aggregate *aggregate_open(const struct aggregate_conf *conf, const float *w,
                                 struct trace_writer *trace, const struct aggregate_calls *calls,
                                 void *self, struct err *e)
{
    struct aggregate *a = mem_new(1, sizeof *a, e);
    if (a == NULL)
        return NULL;
    a->conf = *conf;
    a->ops = (const struct policy_ops *)conf->policy->plug;
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

/* sum += g, or sum = g for the first. */
static void add(struct aggregate *a, const float *restrict g)
{
    size_t n = a->conf.layout->size;
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
        if (a->held[r] != NULL)
            add(a, a->held[r]);
        a->held[r] = NULL;
    }
    return a->sum;
}

static int diverged(struct err *e, uint64_t update, const char *what)
{
    return err_set(e, ERR_NO, "update %llu: %s is not a finite number; lower the step (-e)",
                   (unsigned long long)update, what);
}

static void on_take(struct aggregate *a, const struct act *act, const struct event *in)
{
    struct trace_event ev = trace_event(TRACE_PUSH, in->now);
    ev.seq = act->seq;
    ev.version = act->version;
    ev.iteration = policy_version(a->policy);
    /* the machine is ahead when this push fired */
    ev.iteration = act->version + act->staleness;
    ev.staleness = act->staleness;
    ev.rows = in->g->rows;
    ev.compute = in->g->compute;
    ev.delay = in->g->delay;
    ev.loss = in->g->loss;
    trace_worker(a, ev, act->worker, "");
    a->loss_sum += in->g->loss;
}

static void on_late(struct aggregate *a, const struct act *act, const struct event *in)
{
    struct trace_event ev = trace_event(TRACE_LATE, in->now);
    ev.seq = act->seq;
    ev.version = in->g->version;
    ev.rows = in->g->rows;
    ev.compute = in->g->compute;
    ev.delay = in->g->delay;
    ev.loss = in->g->loss;
    trace_worker(a, ev, act->worker, "");
}

/* sum: of act->count gradients. */
static int on_step(struct aggregate *a, const struct act *act, const float *sum, double now,
                   struct err *e)
{
    struct step_input in = {
        .layout = a->conf.layout,
        .w = a->w,
        .sum = sum,
        .next = a->next,
        .count = (double)act->count,
        .rate = a->step->base(a->conf.step->conf, act->version - 1),
        .l2 = a->conf.l2,
    };
    if (!a->optimizer->apply(a->state, &in))
        return diverged(e, act->version, "a parameter");
    float *was = a->w;
    a->w = a->next;
    a->next = was;
    a->loss = a->loss_sum / (double)act->count;
    a->loss_sum = 0;
    a->summed = false;
    struct trace_event ev = trace_event(TRACE_UPDATE, now);
    ev.version = ev.iteration = act->version;
    ev.loss = a->loss;
    snprintf(ev.note, sizeof ev.note, "n=%llu", (unsigned long long)act->count);
    trace_write(a->trace, &ev);
    return 0;
}

static void on_void(struct aggregate *a, const struct act *act, double now)
{
    struct trace_event ev = trace_event(TRACE_VOID, now);
    ev.seq = act->seq;
    ev.version = act->version;
    trace_worker(a, ev, act->worker, "");
}

static void on_cancel(struct aggregate *a, const struct act *act, const struct event *in)
{
    struct trace_event ev = trace_event(TRACE_CANCELLED, in->now);
    ev.seq = act->seq;
    ev.compute = in->compute;
    ev.delay = in->delay;
    trace_worker(a, ev, act->worker, in->note);
}

static void on_grant(struct aggregate *a, const struct act *act, double now)
{
    bool paper = act->kind == ACT_CREDIT;
    struct trace_event ev = trace_event(act->kind == ACT_LEAVE ? TRACE_LEAVE : TRACE_SEND, now);
    ev.version = act->version;
    ev.seq = act->kind == ACT_SEND ? act->seq : TRACE_NA;
    trace_worker(a, ev, act->worker, paper ? "on paper" : "");
}

/* again: the worker holds that version already. */
static int on_send(struct aggregate *a, const struct act *act, bool again, double now, struct err *e)
{
    on_grant(a, act, now);
    if (a->calls->send(a->self, act->worker, act->version, act->seq, again) == 0)
        return 0;
    if (policy_unsent(a->policy, now, act->worker, &a->unsent, e) < 0)
        return -1;
    struct event in = { .now = now, .note = "unsent" };
    for (size_t i = 0; i < a->unsent.n; i++)
        on_cancel(a, &a->unsent.v[i], &in);
    return 0;
}

/* The gradient just taken is held, added, or, when it makes an update all by itself, used as it is. */
static const float *keep(struct aggregate *a, const struct act *taken, const struct act *next,
                         const struct event *in)
{
    if (next != NULL && next->kind == ACT_STEP && next->count == 1)
        return in->g->g;
    if (a->ops->distinct)
        a->held[taken->worker] = in->g->g;
    else
        add(a, in->g->g);
    return NULL;
}

/* Carries out what the policy said, in its order. `holder`: the worker that holds the version `held`. */
static int carry_out(struct aggregate *a, const struct event *in, uint64_t holder, uint64_t held,
                     struct err *e)
{
    const float *alone = NULL;
    bool stepped = false;
    for (size_t i = 0; i < a->acts.n; i++) {
        const struct act *act = &a->acts.v[i];
        switch (act->kind) {
        case ACT_TAKE:
            on_take(a, act, in);
            alone = keep(a, act, i + 1 < a->acts.n ? act + 1 : NULL, in);
            break;
        case ACT_LATE:
            on_late(a, act, in);
            break;
        case ACT_STEP:
            if (on_step(a, act, alone != NULL ? alone : a->ops->distinct ? sum_held(a) : a->sum, in->now,
                        e) < 0)
                return -1;
            stepped = true;
            break;
        case ACT_VOID:
            on_void(a, act, in->now);
            break;
        case ACT_SEND:
            if (on_send(a, act, act->worker == holder && act->version == held, in->now, e) < 0)
                return -1;
            break;
        case ACT_CREDIT:
            on_grant(a, act, in->now);
            break;
        case ACT_CANCEL:
            on_cancel(a, act, in);
            break;
        case ACT_LEAVE:
            on_grant(a, act, in->now);
            a->calls->leave(a->self, act->worker);
            break;
        }
    }
    if (stepped)
        a->calls->updated(a->self, in->now);
    return 0;
}

static const uint64_t nobody = UINT64_MAX;

int aggregate_join(struct aggregate *a, double now, uint64_t worker, uint64_t budget, const char *note,
                   struct err *e)
{
    if (policy_join(a->policy, now, worker, budget, &a->acts, e) < 0)
        return -1;
    struct trace_event ev = trace_event(TRACE_JOIN, now);
    ev.version = policy_granted(a->policy, worker);
    trace_worker(a, ev, worker, note);
    struct event in = { .now = now, .note = "" };
    return carry_out(a, &in, nobody, 0, e);
}

int aggregate_push(struct aggregate *a, double now, uint64_t worker, const struct gradient_in *g,
                   struct err *e)
{
    uint64_t seq, version = policy_granted(a->policy, worker);
    if (policy_working(a->policy, worker, &seq) && seq == g->seq && version != g->version)
        return err_set(e, ERR_PEER, "a gradient on version %llu, which was not sent",
                       (unsigned long long)g->version);
    if (policy_push(a->policy, now, worker, g->seq, &a->acts, e) < 0)
        return -1;
    bool used = a->acts.n > 0 && a->acts.v[0].kind == ACT_TAKE;
    if (used && !isfinite(g->loss))
        return diverged(e, aggregate_iteration(a) + (a->acts.n < 2 || a->acts.v[1].kind != ACT_STEP),
                        "the loss");
    struct event in = { .now = now, .g = g, .note = "" };
    return carry_out(a, &in, worker, version, e);
}

int aggregate_cancelled(struct aggregate *a, double now, uint64_t worker, uint64_t seq, double compute,
                        double delay, struct err *e)
{
    if (policy_cancelled(a->policy, now, worker, seq, &a->acts, e) < 0)
        return -1;
    struct event in = { .now = now, .compute = compute, .delay = delay, .note = "" };
    return carry_out(a, &in, nobody, 0, e);
}

int aggregate_gone(struct aggregate *a, double now, uint64_t worker, const char *note, struct err *e)
{
    if (policy_gone(a->policy, now, worker, &a->acts, e) < 0)
        return -1;
    trace_worker(a, trace_event(TRACE_GONE, now), worker, note);
    struct event in = { .now = now, .compute = NAN, .delay = NAN, .note = "gone" };
    return carry_out(a, &in, nobody, 0, e);
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
    return policy_version(a->policy);
}

double aggregate_loss(const struct aggregate *a)
{
    return a->loss;
}

bool aggregate_holds(const struct aggregate *a, uint64_t worker)
{
    return a->held[worker] != NULL;
}

const struct policy *aggregate_policy(const struct aggregate *a)
{
    return a->policy;
}
