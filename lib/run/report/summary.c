/* What every worker did, and all together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/report/report.h"

#define COLUMNS                                                                                    \
    "worker", "started", "used", "cancelled", "late", "dropped", "unfinished", "rows",             \
        "compute_mean", "compute_p50", "compute_p99", "wait_mean", "staleness_mean",               \
        "staleness_max", "updates", "seconds", "updates_per_s"
static const char *const columns[] = { COLUMNS, NULL };
static const char *const columns_priced[] = { COLUMNS, "cost", "energy", NULL };

/* The account of one worker, or of all. */
struct tally {
    bool seen;
    uint64_t started, used, cancelled, late, dropped;
    uint64_t rows; /* of the used, as the following */
    uint64_t staleness_sum, staleness_max;
    uint64_t updates, last_update; /* that it had a part in; the number of the last of them */
    double *seconds;               /* computation plus delay of each completed minibatch */
    size_t n, cap;
    double waited;
    uint64_t waits;
    double joined;        /* when, while it is there; else NAN */
    double present, busy; /* seconds there, and at work */
    double cost, energy;
};

struct push {
    uint64_t worker, staleness, rows;
};

struct summary {
    struct tally *workers;
    size_t n, cap;
    struct push *buffer; /* since the last update */
    size_t buffered, room;
    uint64_t updates;
    uint64_t expected; /* P of the trace, or 0 */
    double seconds;    /* time of the stop line, else of the last one */
    bool stopped;
};

static struct tally *tally_of(struct summary *s, uint64_t worker, struct err *e)
{
    if (mem_grow(&s->workers, &s->cap, worker + 1, sizeof *s->workers, e) < 0)
        return NULL;
    for (; s->n <= worker; s->n++)
        s->workers[s->n] = (struct tally){ .joined = NAN };
    s->workers[worker].seen = true;
    return &s->workers[worker];
}

static int start(void *state, const struct report_conf *c, const json_t *meta, struct err *e)
{
    struct summary *s = state;
    const json_t *workers = json_object_get(meta, "P");
    (void)c, (void)e;
    s->expected = json_integer_value(workers) > 0 ? (uint64_t)json_integer_value(workers) : 0;
    return 0;
}

static int on_join(struct summary *s, struct tally *t, const struct trace_event *ev, const struct fact *f,
                   struct err *e)
{
    (void)f, (void)ev, (void)e;
    t->joined = s->seconds;
    return 0;
}

static int on_send(struct summary *s, struct tally *t, const struct trace_event *ev, const struct fact *f,
                   struct err *e)
{
    (void)s, (void)e;
    t->started += ev->seq != TRACE_NA;
    if (!isnan(f->waiting)) {
        t->waited += ev->time - f->waiting;
        t->waits++;
    }
    return 0;
}

/* At work as long as the worker says, or since the minibatch was sent; who has gone was at work until then. */
static void work(struct tally *t, const struct trace_event *ev, const struct fact *f)
{
    double seconds = ev->compute + ev->delay;
    t->busy += !isnan(seconds) ? seconds : isnan(t->joined) ? 0 : ev->time - f->sent;
}

static void work_until(struct tally *t, const struct book *b, double end)
{
    for (size_t i = 0; i < b->hands; i++)
        t->busy += fmax(0, end - b->hand[i].sent);
}

static int complete(struct tally *t, const struct trace_event *ev, const struct fact *f, struct err *e)
{
    double seconds = ev->compute + ev->delay;
    work(t, ev, f);
    if (isnan(seconds))
        return 0;
    if (mem_grow(&t->seconds, &t->cap, t->n + 1, sizeof *t->seconds, e) < 0)
        return -1;
    t->seconds[t->n++] = seconds;
    return 0;
}

static int on_push(struct summary *s, struct tally *t, const struct trace_event *ev, const struct fact *f,
                   struct err *e)
{
    if (complete(t, ev, f, e) < 0 ||
        mem_grow(&s->buffer, &s->room, s->buffered + 1, sizeof *s->buffer, e) < 0)
        return -1;
    s->buffer[s->buffered++] = (struct push){ ev->worker, ev->staleness, ev->rows };
    return 0;
}

static int on_cancelled(struct summary *s, struct tally *t, const struct trace_event *ev,
                        const struct fact *f, struct err *e)
{
    (void)s, (void)e;
    work(t, ev, f);
    t->cancelled++;
    return 0;
}

static int on_late(struct summary *s, struct tally *t, const struct trace_event *ev, const struct fact *f,
                   struct err *e)
{
    (void)s;
    t->late++;
    return complete(t, ev, f, e);
}

static int on_drop(struct summary *s, struct tally *t, const struct trace_event *ev, const struct fact *f,
                   struct err *e)
{
    (void)s;
    t->dropped++;
    return complete(t, ev, f, e);
}

static int on_away(struct summary *s, struct tally *t, const struct trace_event *ev, const struct fact *f,
                   struct err *e)
{
    (void)e;
    if (ev->kind == TRACE_LEAVE && ev->seq != TRACE_NA)
        work(t, ev, f);
    if (isnan(t->joined))
        return 0;
    work_until(t, f->book, s->seconds);
    t->present += s->seconds - t->joined;
    t->joined = NAN;
    return 0;
}

static void use(struct tally *t, const struct push *p, uint64_t update)
{
    t->used++;
    t->rows += p->rows;
    t->staleness_sum += p->staleness;
    if (p->staleness > t->staleness_max)
        t->staleness_max = p->staleness;
    t->updates += t->last_update != update;
    t->last_update = update;
}

static int on_update(struct summary *s, struct tally *t, const struct trace_event *ev, const struct fact *f,
                     struct err *e)
{
    (void)t, (void)ev, (void)f, (void)e;
    s->updates++;
    for (size_t i = 0; i < s->buffered; i++)
        use(&s->workers[s->buffer[i].worker], &s->buffer[i], s->updates);
    s->buffered = 0;
    return 0;
}

static int on_stop(struct summary *s, struct tally *t, const struct trace_event *ev, const struct fact *f,
                   struct err *e)
{
    (void)t, (void)ev, (void)f, (void)e;
    s->stopped = true;
    return 0;
}

static int (*const on[TRACE_KINDS])(struct summary *, struct tally *, const struct trace_event *,
                                    const struct fact *, struct err *) = {
    [TRACE_JOIN] = on_join,           [TRACE_SEND] = on_send,     [TRACE_PUSH] = on_push,
    [TRACE_UPDATE] = on_update,       [TRACE_LATE] = on_late,     [TRACE_DROP] = on_drop,
    [TRACE_CANCELLED] = on_cancelled, [TRACE_GONE] = on_away,     [TRACE_LEAVE] = on_away,
    [TRACE_STOP] = on_stop,
};

static int event(void *state, const struct trace_event *ev, const struct fact *f, struct err *e)
{
    struct summary *s = state;
    struct tally *t = NULL;
    if (ev->worker != TRACE_NA && (t = tally_of(s, ev->worker, e)) == NULL)
        return -1;
    if (!s->stopped)
        s->seconds = ev->time;
    return on[ev->kind] == NULL ? 0 : on[ev->kind](s, t, ev, f, e);
}

static int ascending(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return p < q ? -1 : p > q;
}

/* Between the two nearest in order, as R and numpy do by default; v ascends. */
static double quantile(const double *v, size_t n, double p)
{
    if (n == 0)
        return NAN;
    double at = p * (double)(n - 1);
    size_t low = (size_t)at;
    double high = low + 1 < n ? v[low + 1] : v[low];
    return v[low] + (at - (double)low) * (high - v[low]);
}

static double mean(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return sum / (double)n;
}

static double ratio(double a, double b)
{
    return b == 0 ? NAN : a / b;
}

static void row_seconds(struct tsv *out, struct tally *t)
{
    if (t->n > 0)
        qsort(t->seconds, t->n, sizeof *t->seconds, ascending);
    tsv_real(out, t->n > 0 ? mean(t->seconds, t->n) : NAN);
    tsv_real(out, quantile(t->seconds, t->n, 0.5));
    tsv_real(out, quantile(t->seconds, t->n, 0.99));
}

/* All columns but the worker's. */
static void row(struct tsv *out, struct tally *t, double seconds, bool priced)
{
    uint64_t settled = t->used + t->cancelled + t->late + t->dropped;
    const uint64_t counts[] = { t->started, t->used,               t->cancelled, t->late,
                                t->dropped, t->started - settled, t->rows };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        tsv_whole(out, counts[i]);
    row_seconds(out, t);
    tsv_real(out, ratio(t->waited, (double)t->waits));
    tsv_real(out, ratio((double)t->staleness_sum, (double)t->used));
    tsv_whole(out, t->used > 0 ? t->staleness_max : UINT64_MAX);
    tsv_whole(out, t->updates);
    tsv_real(out, seconds);
    tsv_real(out, ratio((double)t->updates, seconds));
    if (priced) {
        tsv_real(out, t->cost);
        tsv_real(out, t->energy);
    }
    tsv_end(out);
}

/* The updates are not added up: one has several workers. */
static int add(struct tally *all, const struct tally *t, struct err *e)
{
    all->started += t->started;
    all->used += t->used;
    all->cancelled += t->cancelled;
    all->late += t->late;
    all->dropped += t->dropped;
    all->rows += t->rows;
    all->staleness_sum += t->staleness_sum;
    if (t->staleness_max > all->staleness_max)
        all->staleness_max = t->staleness_max;
    all->waited += t->waited;
    all->waits += t->waits;
    all->cost += t->cost;
    all->energy += t->energy;
    if (mem_grow(&all->seconds, &all->cap, all->n + t->n, sizeof *all->seconds, e) < 0)
        return -1;
    if (t->n > 0)
        memcpy(all->seconds + all->n, t->seconds, t->n * sizeof *all->seconds);
    all->n += t->n;
    return 0;
}

/* Who is still there at the end was until then. */
static void charge(struct tally *t, const struct book *b, const struct prices *p, uint64_t worker, double end)
{
    if (!isnan(t->joined)) {
        work_until(t, b, end);
        t->present += end - t->joined;
    }
    t->cost = prices_money(p, worker, t->present);
    t->energy = prices_joules(p, worker, fmin(t->busy, t->present), t->present);
}

static int charge_all(struct summary *s, const struct report_conf *c, const struct ledger *l, struct err *e)
{
    struct prices p;
    if (prices_open(&p, &c->price, s->expected > s->n ? s->expected : s->n, e) < 0)
        return -1;
    for (size_t w = 0; w < s->n; w++)
        charge(&s->workers[w], &l->v[w], &p, w, s->seconds);
    prices_close(&p);
    return 0;
}

static int rows(void *state, const struct report_conf *c, const struct ledger *l, struct err *e)
{
    struct summary *s = state;
    struct tally all = { .updates = s->updates };
    bool priced = c->price.price.n > 0 || c->price.watts.n > 0;
    int status = charge_all(s, c, l, e);
    for (size_t w = 0; w < s->n && status == 0; w++)
        status = add(&all, &s->workers[w], e);
    struct tsv out;
    if (status == 0)
        tsv_open(&out, stdout, c->json, "dsgd-trace-summary/1", priced ? columns_priced : columns);
    for (size_t w = 0; w < s->n && status == 0; w++)
        if (s->workers[w].seen) {
            tsv_whole(&out, w);
            row(&out, &s->workers[w], s->seconds, priced);
        }
    if (status == 0) {
        tsv_text(&out, "all");
        row(&out, &all, s->seconds, priced);
    }
    free(all.seconds);
    return status;
}

static void end(void *state)
{
    struct summary *s = state;
    for (size_t w = 0; w < s->n; w++)
        free(s->workers[w].seconds);
    free(s->workers);
    free(s->buffer);
}

static const char *const options[] = { "price", "watts", NULL };

const struct report_ops report_summary = {
    .plug = { .name = "summary", .help = "a row a worker, then all: what became of its minibatches" },
    .columns = columns,
    .state = sizeof(struct summary),
    .start = start,
    .event = event,
    .rows = rows,
    .close = end,
    .options = options,
};
