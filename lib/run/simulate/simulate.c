/* dsgd-sim: a run in virtual time, by the aggregate, the policies and the gradients of a real one. */
#include "run/simulate/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "delay/delays.h"
#include "run/account.h"
#include "run/crew.h"
#include "run/simulate/interrupt.h"
#include "run/simulate/meter.h"
#include "run/simulate/outlet.h"
#include "run/simulate/statement.h"
#include "run/simulation.h"

enum { LOOK_EVERY = 1024 /* events between two looks for a signal, when they are all that is done */ };

/* A run, and what the program makes of it. */
struct session {
    const struct sim_conf *conf;
    uint64_t workers; /* P */
    struct delays delays, comm;
    struct statement statement; /* of pools, where there are some */
    struct crew crew; /* without a model it is empty */
    struct trace_writer trace;
    struct outlet outlet;
    struct meter meter;
    struct simulation *run;
    uint64_t events;
    struct err failure;
};

static void updated(void *self, double now, struct err *e)
{
    struct session *s = self;
    if (!s->conf->no_model)
        outlet_updated(&s->outlet, &s->crew.shape, simulation_aggregate(s->run), now, e);
}

/* The name of a signal that came, now and then. A trace that cannot be written ends the run, too. */
static const char *interrupted(struct session *s)
{
    if (s->events++ % LOOK_EVERY != 0 && s->conf->no_model)
        return NULL;
    if (s->trace.failed && s->failure.kind == ERR_OK)
        trace_flush(&s->trace, &s->failure);
    meter_look(&s->meter, simulation_aggregate(s->run), simulation_now(s->run));
    return interrupt_came();
}

/* To the end, and its reason, a word for the trace. */
static const char *run(struct session *s)
{
    const struct policy *p = aggregate_policy(simulation_aggregate(s->run));
    while (!policy_ended(p)) {
        const char *signal = interrupted(s);
        if (signal != NULL || s->failure.kind != ERR_OK)
            return signal != NULL ? signal : "failed";
        int more = simulation_next(s->run, &s->failure);
        if (more <= 0)
            return more == 0 ? "time" : "failed";
    }
    return train_why(&s->conf->train, policy_version(p));
}

static void finish(struct session *s, const char *why, bool signalled)
{
    const struct aggregate *a = simulation_aggregate(s->run);
    double now = simulation_now(s->run);
    bool ended = !signalled && (s->failure.kind == ERR_OK || s->failure.kind == ERR_NO);
    struct err e = { 0 };
    simulation_stop(s->run, why);
    if (!s->conf->no_model &&
        outlet_finish(&s->outlet, &s->crew.shape, a, now, ended, &e) < 0 &&
        s->failure.kind == ERR_OK)
        s->failure = e;
    if (trace_close(&s->trace, &e) < 0 && s->failure.kind == ERR_OK)
        s->failure = e;
    account_print(&(struct account_conf){ &s->conf->log, s->workers, now }, a);
    statement_print(&s->statement, &s->conf->log, now);
}

/* Averages of times without a mean go nowhere, however long the run. */
static void warn_of_means(const struct session *s)
{
    const struct log *log = &s->conf->log;
    const struct delays *of[] = { &s->delays, &s->comm };
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < of[k]->laws; i++)
            if (!isfinite(delay_mean(&of[k]->law[i].law)))
                log_note(log, "%s has no finite mean: averages over the run do not settle",
                         of[k]->law[i].law.text);
}

static int open_trace(struct session *s, struct err *e)
{
    if (s->conf->train.trace == NULL)
        return 0;
    json_t *meta = sim_describe(s->conf, s->workers, &s->crew, e);
    int rc = meta == NULL ? -1 : trace_open(&s->trace, s->conf->train.trace, meta, e);
    json_decref(meta);
    return rc;
}

static int open_model(struct session *s, char *const *paths, size_t n, struct err *e)
{
    if (s->conf->no_model)
        return 0;
    if (outlet_open(&s->outlet, &s->conf->train, e) < 0 ||
        crew_read(&s->crew, paths, n, &s->conf->input, e) < 0 ||
        crew_place(&s->crew, s->workers, e) < 0)
        return -1;
    return crew_start(&s->crew, e);
}

/* Pools become delays of ranges of workers, and their exchanges stand beside the one of --comm. */
static int open_pools(struct sim_conf *c, struct statement *s, struct text_list *comm, struct err *e)
{
    if (c->comm.plug != NULL && set_list(comm, c->comm.text, e) < 0)
        return -1;
    return statement_pools(s, &c->pools, e) < 0 || pools_count(&s->pools, &c->workers, e) < 0 ||
                   pools_list(&s->pools, POOL_DELAY, &c->delays, e) < 0 ||
                   pools_list(&s->pools, POOL_COMM, comm, e) < 0
               ? -1
               : 0;
}

/* Who has no exchange of its own and none of --comm has none: no delay. */
static int open_delays(struct session *s, struct sim_conf *c, size_t n, struct err *e)
{
    struct text_list comm = { 0 };
    int status = open_pools(c, &s->statement, &comm, e);
    if (status == 0 && comm.n > 0 && c->comm.plug == NULL)
        status = set_list(&comm, "const:0", e);
    if (status == 0 && comm.n > 0 && c->delays.n == 0)
        status = set_list(&c->delays, "const:0", e);
    if (status == 0)
        status = sim_check(c, n, &s->workers, e);
    if (status == 0)
        status = delays_open(&s->delays, &c->delays, s->workers, e);
    if (status == 0 && delays_open(&s->comm, &comm, s->workers, e) < 0)
        status = err_ctx(e, "--comm");
    free(comm.v);
    return status;
}

static int open_all(struct session *s, struct sim_conf *given, char *const *paths, size_t n, struct err *e)
{
    if (open_delays(s, given, n, e) < 0 || open_model(s, paths, n, e) < 0 || open_trace(s, e) < 0 ||
        statement_open(&s->statement, &s->trace, e) < 0)
        return -1;
    struct simulation_conf conf = {
        .train = &s->conf->train,
        .delays = &s->delays,
        .comm = &s->comm,
        .crew = s->conf->no_model ? NULL : &s->crew,
        .trace = &s->trace,
        .updated = updated,
        .self = s,
    };
    s->run = simulation_open(&conf, e);
    return s->run == NULL ? -1 : 0;
}

static void close_all(struct session *s)
{
    struct err ignored = { 0 };
    trace_close(&s->trace, &ignored);
    outlet_close(&s->outlet);
    simulation_close(s->run);
    crew_close(&s->crew);
    delays_close(&s->comm);
    delays_close(&s->delays);
    statement_close(&s->statement);
}

static void live(struct session *s)
{
    const char *why = "failed";
    meter_start(&s->meter, &s->conf->train, &s->conf->log);
    updated(s, 0, &s->failure); /* the start parameters are a snapshot, too */
    if (s->failure.kind == ERR_OK && simulation_start(s->run, &s->failure) == 0)
        why = run(s);
    meter_stop(&s->meter);
    finish(s, why, interrupt_came() != NULL);
}

int simulate(struct sim_conf *conf, char *const *paths, size_t n, struct err *e)
{
    struct session s = { .conf = conf, .crew = { .conf = &conf->train, .log = &conf->log } };
    struct interrupt held;
    interrupt_hold(&held);
    if (open_all(&s, conf, paths, n, &s.failure) == 0) {
        warn_of_means(&s);
        live(&s);
    }
    close_all(&s);
    interrupt_release(&held);
    *e = s.failure;
    return e->kind == ERR_OK ? 0 : -1;
}
