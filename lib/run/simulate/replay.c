/* dsgd-sim --replay: a recorded run, real or simulated, executed again to the same bits. */
#include "run/simulate/replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "run/account.h"
#include "run/aggregate_state.h"
#include "run/shards.h"
#include "run/simulate/interrupt.h"
#include "run/simulate/meter.h"
#include "run/simulate/outlet.h"
#include "run/simulate/replay_conf.h"
#include "run/simulate/replay_crew.h"
#include "run/simulate/replay_match.h"
#include "run/simulate/replay_told.h"

/* A run that is repeated. */
struct rerun {
    struct sim_conf *conf;
    struct trace_reader trace;
    struct trace_event next; /* the next recorded one, when `some` */
    bool some;
    size_t line; /* of `next`, or of the last one */
    struct crew crew;
    struct archive archive;
    struct aggregate *aggregate;
    struct trace_writer again; /* -t; its events are held against the recorded ones */
    struct outlet outlet;
    struct meter meter;
    uint64_t *rows; /* (P): that each worker has; 0: not told */
    struct told_rules told;
    json_t *moved;  /* shards that the next worker to join brings */
    double now;    /* seconds */
    bool stepped;  /* this event made an update */
    bool stopped;  /* the stop line was there */
    bool copying;  /* a line that is no answer of the aggregate is being written */
    struct err failure;
    struct err verdict; /* ERR_NO, as in the recorded run */
};

/* The next recorded event, if there is one. */
static void pull(struct rerun *r)
{
    int got = trace_next(&r->trace, &r->next, &r->failure);
    r->some = got > 0;
    if (r->some)
        r->line = r->trace.line;
}

static int blame(struct rerun *r)
{
    return err_ctx(&r->failure, "%s:%zu", r->trace.path, r->line);
}

/* A line that says something of the run, but is no answer of the aggregate. */
static void copy(struct rerun *r)
{
    r->copying = true;
    trace_write(&r->again, &r->next);
    r->copying = false;
    pull(r);
}

/* What the aggregate does, against what the recorded one did. A trace that was cut off is no witness. */
static void see(void *self, const struct trace_event *ev)
{
    struct rerun *r = self;
    if (r->copying)
        return;
    if (!r->some || r->failure.kind != ERR_OK)
        return;
    if (replay_match(ev, &r->next, true, &r->failure) < 0)
        blame(r);
    else
        pull(r);
}

/* 1: the recorded grant before this one never went out. */
static int send(void *self, uint64_t worker, uint64_t version, uint64_t seq, bool again)
{
    (void)version, (void)seq, (void)again;
    const struct rerun *r = self;
    return r->some && r->next.kind == TRACE_CANCELLED && r->next.worker == worker &&
           strcmp(r->next.note, "unsent") == 0 &&
           policy_voided(aggregate_policy(r->aggregate), worker);
}

static void leave(void *self, uint64_t worker)
{
    (void)self, (void)worker;
}

static void updated(void *self, double now)
{
    struct rerun *r = self;
    r->stepped = true;
    if (!r->conf->no_model && r->failure.kind == ERR_OK)
        outlet_updated(&r->outlet, &r->crew.shape, r->aggregate, now, &r->failure);
}

/* What this update led to is not in the trace: the run went on from a checkpoint of it. */
static bool cut_off(void *self)
{
    const struct rerun *r = self;
    return r->some && r->next.kind == TRACE_SET && train_note_is(r->next.note);
}

static const struct aggregate_calls calls = {
    .send = send, .leave = leave, .updated = updated, .cut_off = cut_off
};

/* The lines that something came to the server: each is told to the aggregate again. */

/* A late worker may bring other rows than its predecessor had. */
static int take_moved(struct rerun *r, uint64_t worker, struct err *e)
{
    if (json_array_size(r->moved) == 0)
        return 0;
    if (!r->conf->no_model && archive_find(&r->archive, r->moved, &r->crew.set_of[worker], e) < 0)
        return -1;
    r->rows[worker] = shards_rows(r->moved);
    json_array_clear(r->moved);
    return 0;
}

static int on_join(struct rerun *r, const struct trace_event *ev, struct err *e)
{
    if (policy_here(aggregate_policy(r->aggregate), ev->worker))
        return err_set(e, ERR_DATA, "worker %" PRIu64 " is there already", ev->worker);
    if (take_moved(r, ev->worker, e) < 0)
        return -1;
    uint64_t rows = r->rows[ev->worker];
    uint64_t budget = rows == 0 ? UINT64_MAX : train_budget(&r->conf->train, rows);
    aggregate_data(r->aggregate, ev->worker, rows);
    return aggregate_join(r->aggregate, ev->time, ev->worker, budget, ev->note, e);
}

/* Its gradient is computed; without a model only its loss is known. */
static int on_push(struct rerun *r, const struct trace_event *ev, struct err *e)
{
    struct gradient_in g = { .version = ev->version,
                             .seq = ev->seq,
                             .rows = ev->rows,
                             .loss = ev->loss,
                             .compute = ev->compute,
                             .delay = ev->delay,
                             .g = aggregate_w(r->aggregate) };
    const float *w = r->conf->no_model ? NULL : aggregate_read(r->aggregate, ev->worker);
    if (w != NULL && ev->kind == TRACE_PUSH && crew_gradient(&r->crew, ev->worker, w, &g, e) < 0)
        return -1;
    r->stepped = false;
    int rc = aggregate_push(r->aggregate, ev->time, ev->worker, &g, e);
    if (r->stepped || !policy_knobs(aggregate_policy(r->aggregate))->distinct)
        crew_settle(&r->crew);
    return rc;
}

static int on_cancelled(struct rerun *r, const struct trace_event *ev, struct err *e)
{
    return aggregate_cancelled(r->aggregate, ev->time, ev->worker, ev->seq, ev->compute, ev->delay,
                               e);
}

static int on_gone(struct rerun *r, const struct trace_event *ev, struct err *e)
{
    return aggregate_gone(r->aggregate, ev->time, ev->worker, ev->note, e);
}

static int on_leave(struct rerun *r, const struct trace_event *ev, struct err *e)
{
    (void)e;
    if (r->stopped)
        aggregate_farewell(r->aggregate, ev->time, ev->worker, ev->seq, ev->compute, ev->delay);
    return 0;
}

/* "shard CRC32 FILE": what the worker that joins next brings along. */
static int on_shard(struct rerun *r, const struct trace_event *ev, struct err *e)
{
    static const char what[] = "shard ";
    enum { CRC = 8, FIRST = sizeof what - 1 };
    if (strncmp(ev->note, what, FIRST) != 0 || strlen(ev->note) < FIRST + CRC + 1)
        return 0;
    const char *crc = ev->note + FIRST;
    json_t *one = json_pack("{s:I, s:s%, s:s}", "rows", (json_int_t)ev->rows, "crc32", crc,
                            (size_t)CRC, "file", crc + CRC + 1);
    if (json_array_append_new(r->moved, one) < 0)
        return err_memory(e);
    copy(r);
    return 0;
}

/* "resumed -J 20": the run goes on from its last update, to other ends. */
static int on_resumed(struct rerun *r, const struct trace_event *ev, struct err *e)
{
    struct train_conf *c = &r->conf->train;
    if (ev->iteration != aggregate_iteration(r->aggregate))
        return err_set(e, ERR_DATA, "the run goes on after update %" PRIu64 ", of a trace that is not here",
                       ev->iteration);
    uint64_t *budget = mem_new((size_t)r->conf->workers, sizeof *budget, e);
    int rc = budget == NULL ? -1 : train_note_take(c, ev->note, e);
    for (uint64_t w = 0; rc == 0 && w < r->conf->workers; w++)
        budget[w] = train_budget(c, r->rows[w]);
    if (rc == 0)
        rc = aggregate_resume(r->aggregate, NULL, budget, c->updates, ev->note, e);
    free(budget);
    return rc;
}

/* "K=3": AdaSync's doing. */
static int on_set(struct rerun *r, const struct trace_event *ev, struct err *e)
{
    uint64_t k;
    r->stepped = false;
    int told = replay_told(&r->told, &r->conf->train, r->aggregate, ev, e);
    if (r->stepped)
        crew_settle(&r->crew);
    if (replay_told_nothing(ev))
        copy(r);
    if (told != 0)
        return told < 0 ? -1 : 0;
    if (train_note_is(ev->note))
        return on_resumed(r, ev, e);
    if (strncmp(ev->note, "K=", 2) != 0)
        return on_shard(r, ev, e);
    if (num_whole(ev->note + 2, &k, e) < 0 || k == 0)
        return err_set(e, ERR_DATA, "set: '%s': K must be a number from 1", ev->note);
    return aggregate_set_combine(r->aggregate, ev->time, k, ev->loss, e);
}

/* A run that failed before its last gradient was taken says no more than that. */
static int on_stop(struct rerun *r, const struct trace_event *ev, struct err *e)
{
    (void)e;
    aggregate_stop(r->aggregate, ev->time, ev->note);
    r->stopped = true;
    if (strcmp(ev->note, "failed") == 0 && r->verdict.kind == ERR_OK)
        err_set(&r->verdict, ERR_NO, "%s: the run failed after update %" PRIu64, r->trace.path,
                aggregate_iteration(r->aggregate));
    return 0;
}

/* Lines without a function are answers: they never come by themselves. */
static int (*const feed[TRACE_KINDS])(struct rerun *, const struct trace_event *, struct err *) = {
    [TRACE_JOIN] = on_join,   [TRACE_PUSH] = on_push, [TRACE_LATE] = on_push,
    [TRACE_DROP] = on_push,   [TRACE_GONE] = on_gone, [TRACE_CANCELLED] = on_cancelled,
    [TRACE_LEAVE] = on_leave, [TRACE_SET] = on_set,   [TRACE_STOP] = on_stop,
};

/* The run failed here when it was recorded, too. */
static bool as_recorded(const struct rerun *r, const struct err *e)
{
    return e->kind == ERR_NO && (!r->some || r->next.kind == TRACE_STOP);
}

static int feed_one(struct rerun *r, const struct trace_event *ev, struct err *e)
{
    size_t line = r->line;
    if (ev->worker != TRACE_NA && ev->worker >= r->conf->workers)
        return err_set(e, ERR_DATA, "worker %" PRIu64 " of %" PRIu64, ev->worker, r->conf->workers);
    if (feed[ev->kind] == NULL)
        return err_set(e, ERR_DATA, "%s: nothing before it has made it come about here",
                       trace_names[ev->kind]);
    if (feed[ev->kind](r, ev, e) < 0)
        return -1;
    if (r->some && r->line == line && r->failure.kind == ERR_OK)
        return err_set(e, ERR_DATA, "%s: it makes nothing come about here", trace_names[ev->kind]);
    return 0;
}

static int step(struct rerun *r)
{
    const struct trace_event ev = r->next;
    struct err e = { 0 };
    size_t line = r->line;
    if (!r->stopped)
        r->now = ev.time;
    int rc = feed_one(r, &ev, &e);
    if (r->failure.kind != ERR_OK)
        return -1;
    if (rc < 0 && as_recorded(r, &e)) {
        r->verdict = e;
        return 0;
    }
    if (rc < 0) {
        r->failure = e;
        r->failure.kind = e.kind == ERR_SYSTEM ? ERR_SYSTEM : ERR_DATA;
        err_ctx(&r->failure, "%s:%zu", r->trace.path, line);
    }
    return rc;
}

static int open_again(struct rerun *r, struct err *e)
{
    const char *path = r->conf->train.trace;
    if (path != NULL && trace_open(&r->again, path, r->trace.meta, e) < 0)
        return -1;
    r->again.see = see;
    r->again.self = r;
    return 0;
}

static int open_model(struct rerun *r, struct err *e)
{
    struct sim_conf *c = r->conf;
    struct archive *a = &r->archive;
    if (c->no_model)
        return 0;
    if (outlet_open(&r->outlet, &c->train, e) < 0 ||
        crew_read(&r->crew, a->paths, a->n, a->input, e) < 0 ||
        crew_place(&r->crew, c->workers, e) < 0)
        return -1;
    if (archive_place(a, r->trace.meta, e) < 0)
        return err_ctx(e, "%s", r->trace.path);
    return crew_start(&r->crew, e);
}

static int open_all(struct rerun *r, struct err *e)
{
    struct sim_conf *c = r->conf;
    if (trace_start(&r->trace, c->replay, e) < 0)
        return -1;
    if (replay_conf(c, r->trace.meta, r->archive.n, e) < 0)
        return e->kind == ERR_DATA ? err_ctx(e, "%s:1", r->trace.path) : -1;
    if (open_model(r, e) < 0 || open_again(r, e) < 0)
        return -1;
    struct policy_run run = {
        .workers = c->workers, .loss = replay_loss(r->trace.meta), .marks = true
    };
    r->moved = json_array();
    r->rows = mem_new((size_t)c->workers, sizeof *r->rows, e);
    if (r->rows == NULL || archive_rows(r->trace.meta, c->workers, r->rows, e) < 0)
        return -1;
    r->aggregate =
        train_open(&c->train, &r->crew.shape.layout, &run, NULL, !c->no_model, &r->again, &calls, r, e);
    return r->aggregate == NULL ? -1 : 0;
}

static void close_all(struct rerun *r)
{
    struct err ignored = { 0 };
    trace_close(&r->again, &ignored);
    outlet_close(&r->outlet);
    aggregate_close(r->aggregate);
    told_free(&r->told);
    json_decref(r->moved);
    free(r->rows);
    crew_close(&r->crew);
    trace_end(&r->trace);
}

static void run(struct rerun *r)
{
    meter_start(&r->meter, &r->conf->train, &r->conf->log);
    updated(r, 0); /* the start parameters are a snapshot, too */
    pull(r);
    while (r->some && r->failure.kind == ERR_OK && interrupt_came() == NULL) {
        meter_look(&r->meter, r->aggregate, r->now);
        if (step(r) < 0)
            break;
    }
    meter_stop(&r->meter);
}

static void finish(struct rerun *r)
{
    struct err e = { 0 };
    const struct log *log = &r->conf->log;
    if (!r->stopped)
        log_note(log, "%s ends without its stop line: this is the run up to line %zu",
                 r->trace.path, r->line);
    if (!r->conf->no_model)
        outlet_finish(&r->outlet, &r->crew.shape, r->aggregate, r->now, true, &r->failure);
    if (trace_close(&r->again, &e) < 0 && r->failure.kind == ERR_OK)
        r->failure = e;
    account_print(&(struct account_conf){ log, r->conf->workers, r->now }, r->aggregate);
    if (r->failure.kind == ERR_OK)
        r->failure = r->verdict;
}

int replay(struct sim_conf *conf, char *const *paths, size_t n, struct err *e)
{
    struct rerun r = { .conf = conf, .crew = { .conf = &conf->train, .log = &conf->log } };
    struct interrupt held;
    r.archive = (struct archive){ &r.crew, paths, n, &conf->input };
    interrupt_hold(&held);
    if (open_all(&r, &r.failure) == 0)
        run(&r);
    if (r.failure.kind == ERR_OK && interrupt_came() == NULL)
        finish(&r);
    close_all(&r);
    interrupt_release(&held);
    *e = r.failure;
    return e->kind == ERR_OK ? 0 : -1;
}
