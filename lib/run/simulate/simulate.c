/* dsgd-sim: a run in virtual time, by the aggregate, the policies and the gradients of a real one. */
#include "run/simulate/simulate.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "delay/delays.h"
#include "run/account.h"
#include "run/simulate/calendar.h"
#include "run/simulate/crew.h"
#include "run/simulate/interrupt.h"
#include "run/simulate/meter.h"
#include "run/simulate/outlet.h"

#define NOTHING TRACE_NA /* seq of a worker that has nothing in hand */
#define NEVER   UINT64_MAX

static const double ticks = 1e9;        /* of the clock, in a second */
static const double clock_end = 0x1p63; /* ticks: 292 years */
enum {
    LOOK_EVERY = 1024,   /* events between two looks for a signal, when they are all that is done */
    STANDSTILL = 1000000 /* events without a step of the clock, and no other end than a time */
};

/* What a worker has in hand. */
struct job {
    uint64_t began, seq;
};

/* A minibatch that was broken off in this event. */
struct broken {
    uint64_t worker, seq, began;
};

struct simulation {
    const struct sim_conf *conf;
    uint64_t workers; /* P */
    struct delays delays;
    struct crew crew; /* without a model it is empty, but for its shape */
    struct calendar calendar;
    struct job *job; /* (P) */
    struct broken *broken;
    size_t n_broken, broken_cap;
    struct aggregate *aggregate;
    struct trace_writer trace;
    struct outlet outlet;
    struct meter meter;
    uint64_t now, limit;    /* ticks; limit: -T */
    uint64_t events, still; /* still: since the clock last moved */
    bool stepped;           /* this event made an update */
    struct err failure;
};

static double seconds_of(uint64_t t)
{
    return (double)t / ticks;
}

/* The draw of the exchange; the same place in its stream for the same minibatch, as for delays. */
static double exchange(const struct simulation *s, uint64_t worker, uint64_t seq)
{
    const struct spec *comm = &s->conf->comm;
    struct rng r;
    if (comm->plug == NULL)
        return 0;
    const struct delay_ops *row = delay_row(comm);
    if (row->at != NULL)
        return row->at(comm->conf, worker, seq);
    rng_open(&r, s->conf->train.seed, RNG_EXCHANGE, worker, seq);
    return row->sample(comm->conf, &r);
}

/* When a minibatch that begins now ends; NEVER: after the end of the clock. */
static uint64_t end_of(const struct simulation *s, uint64_t worker, uint64_t seq)
{
    double seconds = delay_of(delays_of(&s->delays, worker), s->conf->train.seed, worker, seq) +
                     exchange(s, worker, seq);
    double left = clock_end - (double)s->now, t = seconds * ticks + 0.5;
    return t < left ? s->now + (uint64_t)t : NEVER;
}

/* What worker has in hand is void. */
static void break_off(struct simulation *s, uint64_t worker)
{
    struct job *j = &s->job[worker];
    if (j->seq == NOTHING)
        return;
    if (mem_grow(&s->broken, &s->broken_cap, s->n_broken + 1, sizeof *s->broken, &s->failure) < 0)
        return;
    s->broken[s->n_broken++] = (struct broken){ worker, j->seq, j->began };
    j->seq = NOTHING;
}

static int send(void *self, uint64_t worker, uint64_t version, uint64_t seq, bool again)
{
    (void)version, (void)again;
    struct simulation *s = self;
    break_off(s, worker);
    s->job[worker] = (struct job){ s->now, seq };
    calendar_put(&s->calendar, worker, end_of(s, worker, seq));
    return 0;
}

static void leave(void *self, uint64_t worker)
{
    struct simulation *s = self;
    break_off(s, worker);
    calendar_remove(&s->calendar, worker);
}

static void updated(void *self, double now)
{
    struct simulation *s = self;
    s->stepped = true;
    if (!s->conf->no_model && s->failure.kind == ERR_OK)
        outlet_updated(&s->outlet, &s->crew.shape, s->aggregate, now, &s->failure);
}

static const struct aggregate_calls calls = { send, leave, updated };

/* Those that were interrupted say so, at once. */
static int confirm(struct simulation *s, struct err *e)
{
    double now = seconds_of(s->now);
    for (size_t i = 0; i < s->n_broken; i++) {
        const struct broken *b = &s->broken[i];
        double spent = seconds_of(s->now - b->began);
        if (aggregate_cancelled(s->aggregate, now, b->worker, b->seq, 0, spent, e) < 0)
            return -1;
    }
    s->n_broken = 0;
    return 0;
}

/* The worker's minibatch is done: its gradient arrives. */
static int arrive(struct simulation *s, uint64_t worker, struct err *e)
{
    struct job *j = &s->job[worker];
    struct gradient_in g = {
        .version = policy_granted(aggregate_policy(s->aggregate), worker),
        .seq = j->seq,
        .rows = s->conf->train.batch,
        .loss = NAN,
        .delay = seconds_of(s->now - j->began),
        .g = aggregate_w(s->aggregate), /* without a model: of no floats */
    };
    j->seq = NOTHING;
    s->stepped = false;
    if (!s->conf->no_model &&
        crew_gradient(&s->crew, worker, aggregate_read(s->aggregate, worker), &g, e) < 0)
        return -1;
    if (aggregate_push(s->aggregate, seconds_of(s->now), worker, &g, e) < 0)
        return -1;
    if (s->stepped || !policy_knobs(aggregate_policy(s->aggregate))->distinct)
        crew_settle(&s->crew);
    return confirm(s, e);
}

static int too_late(const struct simulation *s, uint64_t worker, struct err *e)
{
    return err_set(e, ERR_NO,
                   "update %" PRIu64 ": minibatch %" PRIu64 " of worker %" PRIu64
                   " takes longer than the clock can tell, which ends after %.3g s",
                   aggregate_iteration(s->aggregate) + 1, s->job[worker].seq, worker,
                   clock_end / ticks);
}

/* A time that never comes would be waited for without end. */
static int check_still(struct simulation *s, uint64_t time, struct err *e)
{
    const struct train_conf *c = &s->conf->train;
    s->still = time == s->now ? s->still + 1 : 0;
    if (s->still < STANDSTILL + s->workers || c->updates > 0 || c->passes > 0)
        return 0;
    return err_set(e, ERR_USAGE,
                   "the clock stands still at %g s: with these delays (-d) it never comes to %g s",
                   seconds_of(time), c->seconds);
}

/* The name of a signal that came, now and then. A trace that cannot be written ends the run, too. */
static const char *interrupted(struct simulation *s)
{
    if (s->events++ % LOOK_EVERY != 0 && s->conf->no_model)
        return NULL;
    if (s->trace.failed && s->failure.kind == ERR_OK)
        trace_flush(&s->trace, &s->failure);
    meter_look(&s->meter, s->aggregate, seconds_of(s->now));
    return interrupt_came();
}

/* The next event. 1: it is over; 0: the time is, or the clock; -1: e. */
static int advance(struct simulation *s, struct err *e)
{
    uint64_t time, worker;
    bool some = calendar_next(&s->calendar, &time, &worker);
    assert(some); /* a worker that waits waits for one that works */
    (void)some;
    if (time > s->limit && s->conf->train.seconds == 0)
        return too_late(s, worker, e);
    if (time > s->limit) {
        s->now = s->limit;
        return 0;
    }
    if (check_still(s, time, e) < 0)
        return -1;
    calendar_take(&s->calendar);
    s->now = time;
    return arrive(s, worker, e) < 0 ? -1 : 1;
}

/* To the end, and its reason, a word for the trace. */
static const char *run(struct simulation *s)
{
    const struct policy *p = aggregate_policy(s->aggregate);
    while (!policy_ended(p)) {
        const char *signal = interrupted(s);
        if (signal != NULL || s->failure.kind != ERR_OK)
            return signal != NULL ? signal : "failed";
        int more = advance(s, &s->failure);
        if (more <= 0)
            return more == 0 ? "time" : "failed";
    }
    return train_why(&s->conf->train, policy_version(p));
}

static int start_all(struct simulation *s, struct err *e)
{
    char name[200] = "";
    for (uint64_t r = 0; r < s->workers; r++)
        s->job[r].seq = NOTHING;
    for (uint64_t r = 0; r < s->workers; r++) {
        uint64_t budget =
            s->conf->no_model ? UINT64_MAX : train_budget(&s->conf->train, crew_rows(&s->crew, r));
        if (!s->conf->no_model) {
            crew_name(&s->crew, r, name, sizeof name);
            aggregate_data(s->aggregate, r, crew_rows(&s->crew, r));
        }
        if (aggregate_join(s->aggregate, 0, r, budget, name, e) < 0)
            return -1;
    }
    return s->failure.kind == ERR_OK ? 0 : -1;
}

/* What everybody had in hand is unfinished, or void. */
static void farewell(struct simulation *s)
{
    for (uint64_t r = 0; r < s->workers; r++) {
        const struct job *j = &s->job[r];
        double spent = j->seq == NOTHING ? NAN : seconds_of(s->now - j->began);
        aggregate_farewell(s->aggregate, seconds_of(s->now), r, j->seq, 0, spent);
    }
}

static void finish(struct simulation *s, const char *why, bool signalled)
{
    double now = seconds_of(s->now);
    bool ended = !signalled && (s->failure.kind == ERR_OK || s->failure.kind == ERR_NO);
    struct err e = { 0 };
    aggregate_stop(s->aggregate, now, why);
    farewell(s);
    if (!s->conf->no_model &&
        outlet_finish(&s->outlet, &s->crew.shape, s->aggregate, now, ended, &e) < 0 &&
        s->failure.kind == ERR_OK)
        s->failure = e;
    if (trace_close(&s->trace, &e) < 0 && s->failure.kind == ERR_OK)
        s->failure = e;
    account_print(&(struct account_conf){ &s->conf->log, s->workers, now }, s->aggregate);
}

/* Averages of times without a mean go nowhere, however long the run. */
static void warn_of_means(const struct simulation *s)
{
    const struct log *log = &s->conf->log;
    for (size_t i = 0; i < s->delays.laws; i++)
        if (!isfinite(delay_mean(&s->delays.law[i].law)))
            log_note(log, "%s has no finite mean: averages over the run do not settle",
                     s->delays.law[i].law.text);
    if (!isfinite(delay_mean(&s->conf->comm)))
        log_note(log, "%s has no finite mean: averages over the run do not settle",
                 s->conf->comm.text);
}

static int open_trace(struct simulation *s, struct err *e)
{
    if (s->conf->train.trace == NULL)
        return 0;
    json_t *meta = sim_describe(s->conf, s->workers, &s->crew, e);
    int rc = meta == NULL ? -1 : trace_open(&s->trace, s->conf->train.trace, meta, e);
    json_decref(meta);
    return rc;
}

static int open_model(struct simulation *s, char *const *paths, size_t n, struct err *e)
{
    if (s->conf->no_model)
        return 0;
    if (outlet_open(&s->outlet, &s->conf->train, e) < 0 ||
        crew_read(&s->crew, paths, n, &s->conf->input, e) < 0 ||
        crew_place(&s->crew, s->workers, e) < 0)
        return -1;
    return crew_start(&s->crew, e);
}

static int open_all(struct simulation *s, char *const *paths, size_t n, struct err *e)
{
    const struct train_conf *c = &s->conf->train;
    if (sim_check(s->conf, n, &s->workers, e) < 0 ||
        delays_open(&s->delays, &s->conf->delays, s->workers, e) < 0 ||
        open_model(s, paths, n, e) < 0 || open_trace(s, e) < 0 ||
        calendar_open(&s->calendar, s->workers, e) < 0)
        return -1;
    struct policy_run run = { .workers = s->workers, .loss = POLICY_KEEP };
    double limit = c->seconds * ticks + 0.5;
    s->limit = c->seconds > 0 && limit < clock_end ? (uint64_t)limit : NEVER - 1;
    s->job = mem_new((size_t)s->workers, sizeof *s->job, e);
    s->aggregate =
        train_open(c, &s->crew.shape.layout, &run, !s->conf->no_model, &s->trace, &calls, s, e);
    return s->job == NULL || s->aggregate == NULL ? -1 : 0;
}

static void close_all(struct simulation *s)
{
    struct err ignored = { 0 };
    trace_close(&s->trace, &ignored);
    outlet_close(&s->outlet);
    aggregate_close(s->aggregate);
    free(s->broken);
    free(s->job);
    calendar_close(&s->calendar);
    crew_close(&s->crew);
    delays_close(&s->delays);
}

static void live(struct simulation *s)
{
    const char *why = "failed";
    meter_start(&s->meter, &s->conf->train, &s->conf->log);
    updated(s, 0); /* the start parameters are a snapshot, too */
    if (s->failure.kind == ERR_OK && start_all(s, &s->failure) == 0)
        why = run(s);
    meter_stop(&s->meter);
    finish(s, why, interrupt_came() != NULL);
}

int simulate(const struct sim_conf *conf, char *const *paths, size_t n, struct err *e)
{
    struct simulation s = { .conf = conf, .crew = { .conf = &conf->train, .log = &conf->log } };
    struct interrupt held;
    interrupt_hold(&held);
    if (open_all(&s, paths, n, &s.failure) == 0) {
        warn_of_means(&s);
        live(&s);
    }
    close_all(&s);
    interrupt_release(&held);
    *e = s.failure;
    return e->kind == ERR_OK ? 0 : -1;
}
