/* The one owner of the parameters: carries out a policy's acts for server and simulator alike. */
#include "run/aggregate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/floats.h"
#include "base/mem.h"
#include "run/act_trace.h"
#include "run/aggregate_inside.h"
#include "run/minibatch.h"

static int aggregate_fill(struct aggregate *a, const float *w, struct err *e)
{
    size_t n = a->conf.layout->size;
    a->w = mem_new(n, sizeof *a->w, e);
    a->next = mem_new(n, sizeof *a->next, e);
    a->data = mem_new((size_t)a->conf.run.workers, sizeof *a->data, e);
    if (a->w == NULL || a->next == NULL || a->data == NULL)
        return -1;
    memcpy(a->w, w, n * sizeof *w);
    a->changes.size = n;
    a->state = a->optimizer->open(a->conf.optimizer->conf, n, e);
    a->policy = policy_open(a->conf.policy, &a->conf.run, e);
    struct correct_conf conf = { a->conf.clip, a->conf.correct, a->conf.step, a->conf.run.workers };
    a->sum.correct = correct_open(&conf, n, e);
    if (a->state == NULL || a->policy == NULL || a->sum.correct == NULL ||
        sum_open(&a->sum, n, a->conf.run.workers, e) < 0)
        return -1;
    if (!a->conf.keep_read && !correct_needs_read(a->sum.correct))
        return 0;
    a->sum.versions = a->versions = versions_open(n, a->conf.run.workers, e);
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
    a->policy_text = a->marked.policy = conf->policy->text;
    a->step_text = a->marked.step = conf->step->text;
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
    sum_close(&a->sum);
    versions_close(a->versions);
    changes_close(&a->changes);
    acts_free(&a->acts);
    acts_free(&a->unsent);
    free(a->data);
    free(a->next);
    free(a->w);
    free(a);
}

static int diverged(const struct aggregate *a, const char *what, struct err *e)
{
    return err_set(e, ERR_NO, "update %ju: %s is not a finite number; lower the step (-e)",
                   (uintmax_t)a->iteration + 1, what);
}

static int gradient_diverged(const struct aggregate *a, uint64_t worker, struct err *e)
{
    char what[60];
    snprintf(what, sizeof what, "a gradient of worker %ju", (uintmax_t)worker);
    return diverged(a, what, e);
}

/* The gradient just taken is held, added, or, when it makes an update all by itself, used as it is. The trace has
 * also one that ends the run: a replay must meet it. */
static int on_take(struct aggregate *a, const struct act *act, struct turn *t, struct err *e)
{
    act_trace_push(a->trace, t->now, act, a->iteration, t->g);
    if (!isfinite(t->g->loss) && a->conf.layout->size > 0)
        return diverged(a, "the loss", e);
    struct entries g = { t->g->index, t->g->g, t->g->index != NULL ? t->g->n : a->conf.layout->size };
    if (!floats_finite(g.value, g.n))
        return gradient_diverged(a, act->worker, e);
    struct share one = { act->worker, t->g->rows, t->g->loss };
    if (sum_count(&a->sum, &one, e) < 0)
        return -1;
    bool last = act + 1 == a->acts.v + a->acts.n;
    struct held h = { g, act->staleness };
    if (!last && act[1].kind == ACT_STEP && act[1].count == 1)
        t->alone = sum_alone(&a->sum, act->worker, &h, a->w);
    else if (policy_knobs(a->policy)->distinct)
        sum_hold(&a->sum, act->worker, &h);
    else
        return sum_add(&a->sum, act->worker, &h, a->w, e);
    return 0;
}

static void throw_away(struct aggregate *a, uint64_t rows)
{
    a->thrown = rows == TRACE_NA || a->thrown == TRACE_NA ? TRACE_NA : a->thrown + rows;
}

static int on_unused(struct aggregate *a, const struct act *act, struct turn *t, struct err *e)
{
    (void)e;
    throw_away(a, t->g->rows);
    act_trace_push(a->trace, t->now, act, a->iteration, t->g);
    return 0;
}

/* K in force changes with the loss (AdaSync) and with the workers that are left. Not at the start, where
 * they all come, nor when they all come again. */
static void tell_combine(struct aggregate *a, double now, uint64_t k, double loss)
{
    if (a->gathering)
        return;
    if (k != a->combine && now > 0)
        act_trace_set(a->trace, now, a->iteration, k, loss);
    a->combine = k;
}

/* What K is by itself is told first, so that a replay, which is told of this one, has the same lines. */
static int on_set(struct aggregate *a, const struct act *act, struct turn *t, struct err *e)
{
    (void)e;
    tell_combine(a, t->now, act->before, NAN);
    tell_combine(a, t->now, policy_combine(a->policy), act->loss);
    return 0;
}

static int on_step(struct aggregate *a, const struct act *act, struct turn *t, struct err *e)
{
    struct entries sum = t->alone;
    if (sum.value == NULL && sum_total(&a->sum, a->w, &sum, e) < 0)
        return -1;
    if (aggregate_step(a, &sum, (double)act->count, act->version, e) < 0)
        return e->kind == ERR_NO ? diverged(a, "a parameter", e) : -1;
    a->iteration = act->version;
    a->loss = sum_loss(&a->sum) / (double)act->count;
    sum_settle(&a->sum);
    t->stepped = true;
    act_trace_update(a->trace, t->now, act, a->loss);
    aggregate_mark(a, t->now);
    return 0;
}

static int on_void(struct aggregate *a, const struct act *act, struct turn *t, struct err *e)
{
    (void)e;
    act_trace_void(a->trace, t->now, act);
    return 0;
}

/* Rows of a minibatch that brought no gradient; TRACE_NA: not known. */
static uint64_t rows_of(const struct aggregate *a, uint64_t worker, uint64_t seq)
{
    struct minibatch m = { .rows = a->data[worker], .size = a->conf.batch };
    return m.rows == 0 || m.size == 0 ? TRACE_NA : minibatch_size(&m, seq);
}

static int on_cancel(struct aggregate *a, const struct act *act, struct turn *t, struct err *e)
{
    (void)e;
    struct work_lost lost = { rows_of(a, act->worker, act->seq), t->compute, t->delay };
    throw_away(a, lost.rows);
    act_trace_cancel(a->trace, t->now, act, &lost, t->note);
    return 0;
}

/* A grant that the engine puts in the place of one that never went out takes that one's seq with it. */
static int on_send(struct aggregate *a, const struct act *act, struct turn *t, struct err *e)
{
    bool again = act->worker == t->holder && act->version == t->held;
    if (a->versions != NULL && versions_hold(a->versions, act->worker, act->version, a->w, &a->changes, e) < 0)
        return -1;
    act_trace_grant(a->trace, t->now, act);
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
    act_trace_grant(a->trace, t->now, act);
    return 0;
}

static int on_leave(struct aggregate *a, const struct act *act, struct turn *t, struct err *e)
{
    (void)e;
    act_trace_grant(a->trace, t->now, act);
    if (a->versions != NULL)
        versions_drop(a->versions, act->worker);
    a->calls->leave(a->self, act->worker);
    return 0;
}

/* How each act is carried out. */
static int (*const carry[])(struct aggregate *, const struct act *, struct turn *, struct err *) = {
    [ACT_TAKE] = on_take,   [ACT_LATE] = on_unused,   [ACT_DROP] = on_unused, [ACT_STEP] = on_step,
    [ACT_VOID] = on_void,   [ACT_CANCEL] = on_cancel, [ACT_SEND] = on_send,   [ACT_SET] = on_set,
    [ACT_LEAVE] = on_leave, [ACT_CREDIT] = on_credit,
};

/* A recorded run that was cut off there: its grants were never made. */
static bool cut_off(const struct aggregate *a, const struct act *act)
{
    return act->kind == ACT_STEP && a->calls->cut_off != NULL && a->calls->cut_off(a->self);
}

int aggregate_carry(struct aggregate *a, struct turn *t, struct err *e)
{
    for (size_t i = 0; i < a->acts.n; i++) {
        const struct act *act = &a->acts.v[i];
        if (carry[act->kind](a, act, t, e) < 0) {
            policy_undo(a->policy, act, a->acts.n - i);
            return -1;
        }
        if (cut_off(a, act)) {
            a->calls->updated(a->self, t->now);
            return 0;
        }
    }
    tell_combine(a, t->now, policy_combine(a->policy), NAN);
    if (t->stepped)
        a->calls->updated(a->self, t->now);
    return 0;
}

void aggregate_data(struct aggregate *a, uint64_t worker, uint64_t rows)
{
    a->data[worker] = rows;
}

int aggregate_join(struct aggregate *a, double now, uint64_t worker, uint64_t budget,
                   const char *note, struct err *e)
{
    if (policy_join(a->policy, now, worker, budget, &a->acts, e) < 0)
        return -1;
    act_trace_join(a->trace, now, worker, policy_granted(a->policy, worker), note);
    struct turn t = { .now = now, .note = "", .holder = NOBODY };
    return aggregate_carry(a, &t, e);
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
    a->gathering = false;
    struct turn t = { .now = now, .g = g, .note = "", .holder = worker, .held = version };
    return aggregate_carry(a, &t, e);
}

int aggregate_cancelled(struct aggregate *a, double now, uint64_t worker, uint64_t seq,
                        double compute, double delay, struct err *e)
{
    if (policy_cancelled(a->policy, now, worker, seq, &a->acts, e) < 0)
        return -1;
    struct turn t = {
        .now = now, .compute = compute, .delay = delay, .note = "", .holder = NOBODY
    };
    return aggregate_carry(a, &t, e);
}

int aggregate_gone(struct aggregate *a, double now, uint64_t worker, const char *note,
                   struct err *e)
{
    if (policy_gone(a->policy, now, worker, &a->acts, e) < 0)
        return -1;
    act_trace_gone(a->trace, now, worker, note);
    struct turn t = { .now = now, .compute = NAN, .delay = NAN, .note = "gone", .holder = NOBODY };
    return aggregate_carry(a, &t, e);
}

bool aggregate_wants_loss(struct aggregate *a, double now)
{
    return policy_wants_loss(a->policy, now);
}

static int carry_set(struct aggregate *a, double now, struct err *e)
{
    struct turn t = { .now = now, .note = "", .holder = NOBODY };
    return aggregate_carry(a, &t, e);
}

int aggregate_told_loss(struct aggregate *a, double now, double loss, struct err *e)
{
    return policy_loss(a->policy, now, loss, &a->acts, e) < 0 ? -1 : carry_set(a, now, e);
}

int aggregate_set_combine(struct aggregate *a, double now, uint64_t k, double loss, struct err *e)
{
    return policy_set(a->policy, now, k, loss, &a->acts, e) < 0 ? -1 : carry_set(a, now, e);
}

void aggregate_farewell(struct aggregate *a, double now, uint64_t worker, uint64_t seq,
                        double compute, double delay)
{
    struct err not_void = { 0 };
    if (!policy_here(a->policy, worker) ||
        aggregate_cancelled(a, now, worker, seq, compute, delay, &not_void) == 0)
        return;
    uint64_t live, version = policy_granted(a->policy, worker);
    bool has = policy_working(a->policy, worker, &live) && live == seq;
    struct work_lost done = { rows_of(a, worker, seq), compute, delay }, none = { TRACE_NA, NAN, NAN };
    act_trace_farewell(a->trace, now, worker, version, has ? seq : TRACE_NA, has ? &done : &none);
}

void aggregate_stop(struct aggregate *a, double now, const char *why)
{
    act_trace_stop(a->trace, now, a->iteration, a->loss, why);
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
    return a->sum.held[worker].g.value != NULL;
}

const float *aggregate_read(const struct aggregate *a, uint64_t worker)
{
    return a->versions == NULL ? NULL : versions_read(a->versions, worker);
}

uint64_t aggregate_rows(const struct aggregate *a, uint64_t worker)
{
    return a->sum.rows[worker];
}

uint64_t aggregate_thrown(const struct aggregate *a)
{
    return a->thrown;
}

const struct policy *aggregate_policy(const struct aggregate *a)
{
    return a->policy;
}
