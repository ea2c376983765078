/* A run in virtual time, by the aggregate, the policies and the gradients of a real one. */
#include "run/simulation.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "run/calendar.h"

#define NOTHING TRACE_NA /* seq of a worker that has nothing in hand */
#define NEVER   UINT64_MAX
#define ALL_ROWS (UINT64_MAX / 2) /* most rows that a loss is of */

static const double ticks = 1e9;        /* of the clock, in a second */
static const double clock_end = 0x1p63; /* ticks: 292 years */
enum { STANDSTILL = 1000000 /* events without a step of the clock, and no other end than a time */ };

/* What a worker has in hand. */
struct job {
    uint64_t began, seq;
};

/* A minibatch that was broken off in this event. */
struct broken {
    uint64_t worker, seq, began;
};

struct simulation {
    struct simulation_conf conf;
    uint64_t workers; /* P */
    struct calendar calendar;
    struct job *job; /* (P) */
    struct broken *broken;
    size_t n_broken, broken_cap;
    struct adasync rule; /* where K follows the loss */
    struct aggregate *aggregate;
    uint64_t now, limit; /* ticks; limit: -T */
    uint64_t still;      /* events since the clock last moved */
    bool stepped;        /* this event made an update */
    struct err failure;  /* in the midst of an event */
};

/* Without a model there are no parameters. */
static const struct layout nothing;

static double seconds_of(uint64_t t)
{
    return (double)t / ticks;
}

double simulation_now(const struct simulation *s)
{
    return seconds_of(s->now);
}

struct aggregate *simulation_aggregate(const struct simulation *s)
{
    return s->aggregate;
}

/* The draw of the exchange; the same place in its stream for the same minibatch, as for delays. */
static double exchange(const struct simulation *s, uint64_t worker, uint64_t seq)
{
    const struct spec *comm = s->conf.comm != NULL ? delays_of(s->conf.comm, worker) : NULL;
    struct rng r;
    if (comm == NULL || comm->plug == NULL)
        return 0;
    const struct delay_ops *row = delay_row(comm);
    if (row->at != NULL)
        return row->at(comm->conf, worker, seq);
    rng_open(&r, s->conf.train->seed, RNG_EXCHANGE, worker, seq);
    return row->sample(comm->conf, &r);
}

/* When a minibatch that begins now ends; NEVER: after the end of the clock. */
static uint64_t end_of(const struct simulation *s, uint64_t worker, uint64_t seq)
{
    double seconds = delay_of(delays_of(s->conf.delays, worker), s->conf.train->seed, worker, seq) +
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
    if (s->conf.updated != NULL && s->failure.kind == ERR_OK)
        s->conf.updated(s->conf.self, now, &s->failure);
}

static const struct aggregate_calls calls = { .send = send, .leave = leave, .updated = updated };

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

/* AdaSync may want the loss of all rows. To know it takes no time and no worker. */
static int tell_loss(struct simulation *s, struct err *e)
{
    double loss, now = seconds_of(s->now);
    if (!aggregate_wants_loss(s->aggregate, now))
        return 0;
    if (crew_loss(s->conf.crew, aggregate_w(s->aggregate), ALL_ROWS, &loss, e) < 0)
        return -1;
    return aggregate_told_loss(s->aggregate, now, loss, e);
}

/* The worker's minibatch is done: its gradient arrives. */
static int arrive(struct simulation *s, uint64_t worker, struct err *e)
{
    struct job *j = &s->job[worker];
    struct crew *crew = s->conf.crew;
    struct gradient_in g = {
        .version = policy_granted(aggregate_policy(s->aggregate), worker),
        .seq = j->seq,
        .rows = s->conf.train->batch,
        .loss = NAN,
        .delay = seconds_of(s->now - j->began),
        .g = aggregate_w(s->aggregate), /* without a model: of no floats */
    };
    j->seq = NOTHING;
    s->stepped = false;
    if (crew != NULL &&
        crew_gradient(crew, worker, aggregate_read(s->aggregate, worker), &g, e) < 0)
        return -1;
    if (aggregate_push(s->aggregate, seconds_of(s->now), worker, &g, e) < 0)
        return -1;
    if (crew != NULL && (s->stepped || !policy_knobs(aggregate_policy(s->aggregate))->distinct))
        crew_settle(crew);
    return confirm(s, e) < 0 || (s->stepped && tell_loss(s, e) < 0) ? -1 : 0;
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
    const struct train_conf *c = s->conf.train;
    s->still = time == s->now ? s->still + 1 : 0;
    if (s->still < STANDSTILL + s->workers || c->updates > 0 || c->passes > 0)
        return 0;
    return err_set(e, ERR_USAGE,
                   "the clock stands still at %g s: with these delays (-d) it never comes to %g s",
                   seconds_of(time), c->seconds);
}

/* What an event met on its way that could not be returned. */
static int failed(struct simulation *s, struct err *e)
{
    if (s->failure.kind == ERR_OK)
        return 0;
    *e = s->failure;
    return -1;
}

int simulation_next(struct simulation *s, struct err *e)
{
    uint64_t time, worker;
    bool some = calendar_next(&s->calendar, &time, &worker);
    assert(some); /* a worker that waits waits for one that works */
    (void)some;
    if (time > s->limit && s->conf.train->seconds == 0)
        return too_late(s, worker, e);
    if (time > s->limit) {
        s->now = s->limit;
        return 0;
    }
    if (check_still(s, time, e) < 0)
        return -1;
    calendar_take(&s->calendar);
    s->now = time;
    return arrive(s, worker, e) < 0 || failed(s, e) < 0 ? -1 : 1;
}

int simulation_start(struct simulation *s, struct err *e)
{
    const struct crew *crew = s->conf.crew;
    char name[200] = "";
    for (uint64_t r = 0; r < s->workers; r++) {
        uint64_t budget = UINT64_MAX;
        if (crew != NULL) {
            budget = train_budget(s->conf.train, crew_rows(crew, r));
            crew_name(crew, r, name, sizeof name);
            aggregate_data(s->aggregate, r, crew_rows(crew, r));
        }
        if (aggregate_join(s->aggregate, 0, r, budget, name, e) < 0)
            return -1;
    }
    return tell_loss(s, e) < 0 ? -1 : failed(s, e);
}

void simulation_stop(struct simulation *s, const char *why)
{
    aggregate_stop(s->aggregate, seconds_of(s->now), why);
    for (uint64_t r = 0; r < s->workers; r++) {
        const struct job *j = &s->job[r];
        double spent = j->seq == NOTHING ? NAN : seconds_of(s->now - j->began);
        aggregate_farewell(s->aggregate, seconds_of(s->now), r, j->seq, 0, spent);
    }
}

static int open_all(struct simulation *s, struct err *e)
{
    const struct simulation_conf *c = &s->conf;
    const struct layout *layout = c->crew != NULL ? &c->crew->shape.layout : &nothing;
    struct policy_run run = { .workers = s->workers, .loss = POLICY_KEEP };
    double limit = c->train->seconds * ticks + 0.5;
    s->limit = c->train->seconds > 0 && limit < clock_end ? (uint64_t)limit : NEVER - 1;
    s->job = mem_new((size_t)s->workers, sizeof *s->job, e);
    if (s->job == NULL || calendar_open(&s->calendar, s->workers, e) < 0)
        return -1;
    for (uint64_t r = 0; r < s->workers; r++)
        s->job[r].seq = NOTHING;
    if (train_rule(c->train, c->delays, &s->rule, &run, e) < 0)
        return -1;
    s->aggregate = train_open(c->train, layout, &run, NULL, c->crew != NULL, c->trace, &calls, s, e);
    return s->aggregate == NULL ? -1 : 0;
}

struct simulation *simulation_open(const struct simulation_conf *c, struct err *e)
{
    struct simulation *s = mem_new(1, sizeof *s, e);
    if (s == NULL)
        return NULL;
    s->conf = *c;
    s->workers = c->delays->workers;
    if (open_all(s, e) == 0)
        return s;
    simulation_close(s);
    return NULL;
}

void simulation_close(struct simulation *s)
{
    if (s == NULL)
        return;
    aggregate_close(s->aggregate);
    adasync_close(&s->rule);
    free(s->broken);
    free(s->job);
    calendar_close(&s->calendar);
    free(s);
}
