/* What no formula tells of a policy: a simulation without a model tells it. */
#include "run/plan/measure.h"

#include <math.h>
#include <string.h>

#include "learn/model.h"
#include "learn/optimizer.h"
#include "run/simulation.h"

enum { BATCHES = 20 /* of updates, for a standard error */ };

/* What the events of a window of time add up to. */
struct watch {
    const struct prices *prices;
    uint64_t draws;               /* minibatches that ended somehow, from the start on */
    uint64_t updates, used;       /* from here on in the window */
    double staleness, busy, lost; /* sums; seconds */
    double joules;                /* above those of idle workers */
    double began, now;
    double sum, squares; /* of the batches' means */
    uint64_t of_batch, batches;
    double batch_began;
};

static void add_work(struct watch *w, const struct trace_event *ev, bool lost)
{
    double seconds = ev->compute + ev->delay;
    if (isnan(seconds))
        return;
    w->draws++;
    w->busy += seconds;
    w->lost += lost ? seconds : 0;
    if (w->prices->watted) {
        const struct price *p = &w->prices->of[ev->worker];
        w->joules += (p->busy - p->idle) * seconds;
    }
}

static void see(void *self, const struct trace_event *ev)
{
    struct watch *w = self;
    bool used = ev->kind == TRACE_PUSH;
    w->now = ev->time;
    if (used) {
        w->used++;
        w->staleness += (double)ev->staleness;
    }
    w->updates += ev->kind == TRACE_UPDATE;
    if (used || ev->kind == TRACE_CANCELLED || ev->kind == TRACE_DROP || ev->kind == TRACE_LATE)
        add_work(w, ev, !used);
}

/* The window opens: what came before was the start. */
static void open_window(struct watch *w)
{
    *w = (struct watch){ .prices = w->prices, .draws = w->draws, .now = w->now, .began = w->now,
                         .batch_began = w->now };
}

static void close_batch(struct watch *w, uint64_t size)
{
    double mean = (w->now - w->batch_began) / (double)size;
    w->sum += mean;
    w->squares += mean * mean;
    w->batches++;
    w->batch_began = w->now;
    w->of_batch = w->updates;
}

/* Until so many updates of the window, or so many draws. 1: the time has ended with the clock; -1: e. */
static int run_until(struct simulation *s, const struct watch *w, uint64_t updates, uint64_t draws,
                     struct err *e)
{
    while (w->updates < updates && w->draws < draws)
        if (simulation_next(s, e) < 0) {
            if (e->kind != ERR_NO)
                return -1;
            *e = (struct err){ 0 };
            return 1;
        }
    return 0;
}

static double idle_joules(const struct prices *p, double seconds)
{
    double watts = 0;
    for (uint64_t i = 0; p->watted && i < p->workers; i++)
        watts += p->of[i].idle;
    return watts * seconds;
}

static void conclude(struct measured *m, const struct watch *w, double seconds)
{
    double n = (double)w->batches, updates = (double)w->updates;
    double mean = w->sum / n, spread = (w->squares / n - mean * mean) * n / (n - 1);
    m->seconds = seconds / updates;
    m->error = sqrt(fmax(spread, 0) / n);
    m->staleness = w->staleness / (double)w->used;
    m->busy = w->busy / updates;
    m->wasted = w->busy > 0 ? w->lost / w->busy : 0;
    m->joules = w->prices->watted ? (w->joules + idle_joules(w->prices, seconds)) / updates : NAN;
}

/* A pilot window tells how many updates there will be, which are then divided into batches. */
static int watch_run(struct measured *m, struct simulation *s, struct watch *w, uint64_t draws,
                     struct err *e)
{
    int over = run_until(s, w, UINT64_MAX, draws / 5, e);
    uint64_t before = w->updates, from = w->draws;
    if (over != 0)
        return over < 0 ? -1 : 0;
    open_window(w);
    double left = (double)(draws - from), each = (double)from / (double)(before > 0 ? before : 1);
    uint64_t size = (uint64_t)(left / each / BATCHES);
    for (int i = 0; i < BATCHES && size > 0; i++) {
        over = run_until(s, w, (uint64_t)(i + 1) * size, UINT64_MAX, e);
        if (over != 0)
            return over < 0 ? -1 : 0;
        close_batch(w, size);
    }
    if (w->batches == BATCHES)
        conclude(m, w, w->now - w->began);
    return 0;
}

/* Rules of a run without a model: the step and the optimizer have nothing to work on. */
static int rules(struct train_conf *t, const struct spec *policy, uint64_t seed, struct err *e)
{
    t->policy = *policy;
    t->seed = seed;
    t->batch = 1;
    t->updates = UINT64_MAX;
    return step_parse(&t->step, "1", e) < 0 || spec_parse(&t->optimizer, &optimizer_table, "sgd", e) < 0 ||
                   spec_parse(&t->init, &init_table, "zero", e) < 0
               ? -1
               : 0;
}

int measure(struct measured *m, const struct spec *policy, const struct measure_conf *c, struct err *e)
{
    struct train_conf t = { 0 };
    struct watch w = { .prices = c->prices };
    struct trace_writer trace = { .see = see, .self = &w };
    struct simulation_conf conf = { .train = &t, .delays = c->delays, .comm = c->comm, .trace = &trace };
    struct simulation *s = NULL;
    *m = (struct measured){ NAN, NAN, NAN, NAN, NAN, NAN };
    int status = rules(&t, policy, c->seed, e);
    if (status == 0)
        s = simulation_open(&conf, e);
    status = s == NULL || simulation_start(s, e) < 0 ? -1 : watch_run(m, s, &w, c->draws, e);
    simulation_close(s);
    spec_free(&t.step);
    spec_free(&t.optimizer);
    spec_free(&t.init);
    return status;
}
