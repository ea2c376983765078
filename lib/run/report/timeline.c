/* A trace as a picture: trace-event JSON, as Perfetto and chrome://tracing open it. A track a worker, one
 * for the server's updates, counters beside them. Written as the trace is read, in memory for the
 * workers alone. Times are microseconds, as that format has them, in whole nanoseconds. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "run/report/report.h"

enum { SERVER = 0 }; /* its track; worker w has w + 1 */

struct track {
    bool named, here;
    long long free; /* where its last span ends, ns */
};

struct timeline {
    struct track *v; /* by worker */
    size_t n, cap;
    bool begun, some;       /* the head is written; and an event */
    double updated, ended;  /* time of the last update, of the last line */
    double staleness;       /* summed over the gradients since then */
    uint64_t gradients, k;  /* their number; K that was shown last */
};

/* Between events; the first has none before it. */
static void next(struct timeline *t)
{
    fputs(t->some ? ",\n" : "\n", stdout);
    t->some = true;
}

static void put_text(const char *text)
{
    json_t *s = json_string(text);
    char *quoted = s ? json_dumps(s, JSON_ENCODE_ANY) : NULL;
    fputs(quoted ? quoted : "\"\"", stdout); /* no UTF-8: left out */
    free(quoted);
    json_decref(s);
}

static long long nano(double seconds)
{
    return llround(seconds * 1e9);
}

static void put_micro(const char *key, long long ns)
{
    printf(",\"%s\":%s%lld.%03lld", key, ns < 0 ? "-" : "", llabs(ns) / 1000, llabs(ns) % 1000);
}

static void put_real(const char *key, double v)
{
    char text[NUM_TEXT];
    if (isfinite(v))
        printf(",\"%s\":%s", key, num_print_double(text, v));
}

static void put_whole(const char *key, uint64_t v)
{
    if (v != TRACE_NA)
        printf(",\"%s\":%" PRIu64, key, v);
}

static void name_of(struct timeline *t, const char *what, uint64_t track, const char *name)
{
    next(t);
    printf("{\"ph\":\"M\",\"pid\":1,\"tid\":%" PRIu64 ",\"name\":\"%s\",\"args\":{\"name\":", track, what);
    put_text(name);
    fputs("}}", stdout);
    if (strcmp(what, "thread_name") != 0)
        return;
    next(t);
    printf("{\"ph\":\"M\",\"pid\":1,\"tid\":%" PRIu64 ",\"name\":\"thread_sort_index\",\"args\":{"
           "\"sort_index\":%" PRIu64 "}}", track, track);
}

static int start(void *state, const struct report_conf *c, const json_t *meta, struct err *e)
{
    struct timeline *t = state;
    const char *policy = json_string_value(json_object_get(meta, "policy"));
    char *name = mem_print(e, "dsgd%s%s", policy ? " " : "", policy ? policy : "");
    (void)c;
    if (name == NULL)
        return -1;
    t->begun = true;
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", stdout);
    name_of(t, "process_name", SERVER, name);
    name_of(t, "thread_name", SERVER, "server: updates");
    free(name);
    return 0;
}

static int track_of(struct timeline *t, uint64_t worker, struct track **of, struct err *e)
{
    char name[40];
    *of = NULL;
    if (worker == TRACE_NA)
        return 0;
    if (mem_grow(&t->v, &t->cap, worker + 1, sizeof *t->v, e) < 0)
        return -1;
    for (; t->n <= worker; t->n++)
        t->v[t->n] = (struct track){ 0 };
    *of = &t->v[worker];
    snprintf(name, sizeof name, "worker %" PRIu64, worker);
    if (!(*of)->named)
        name_of(t, "thread_name", worker + 1, name);
    (*of)->named = true;
    return 0;
}

static void put_span(struct timeline *t, const char *name, uint64_t track, long long first, long long last)
{
    next(t);
    printf("{\"ph\":\"X\",\"pid\":1,\"tid\":%" PRIu64 ",\"name\":\"%s\"", track, name);
    put_micro("ts", first);
    put_micro("dur", last - first);
    fputs(",\"args\":{", stdout);
}

/* The head of a span of a worker, in ns; its arguments follow, then "}}". Spans of a track follow each other.
 * Returns false for one that is empty. */
static bool open_span(struct timeline *t, struct track *of, uint64_t worker, const char *name,
                      long long first, long long last)
{
    if (last <= first)
        return false;
    of->free = last;
    put_span(t, name, worker + 1, first, last);
    printf("\"worker\":%" PRIu64, worker);
    return true;
}

/* What the server's clock tells both ends of. */
static bool open_between(struct timeline *t, struct track *of, uint64_t worker, const char *name, double from,
                         double to)
{
    return open_span(t, of, worker, name, nano(from) > of->free ? nano(from) : of->free, nano(to));
}

/* What took the worker so long, by its clock, up to `end` by the server's. News that came late may have put the
 * span before it too late: then this one is later too, and no shorter. */
static bool open_work(struct timeline *t, struct track *of, uint64_t worker, const char *name, double end,
                      double seconds)
{
    long long first = nano(end) - nano(seconds);
    first = first > of->free ? first : of->free;
    return open_span(t, of, worker, name, first, first + nano(seconds));
}

static void put_minibatch(const struct trace_event *ev, const char *fate)
{
    put_whole("minibatch", ev->seq);
    put_whole("version", ev->version);
    put_whole("staleness", ev->staleness);
    put_whole("rows", ev->rows);
    put_real("compute_s", ev->compute);
    put_real("delay_s", ev->delay);
    put_real("loss", ev->loss);
    printf(",\"fate\":\"%s\"}}", fate);
}

/* A minibatch that was completed: computation, then delay, up to now. */
static int on_done(struct timeline *t, struct track *of, const struct trace_event *ev, const struct fact *f)
{
    static const char *const fates[TRACE_KINDS] = { [TRACE_PUSH] = "taken", [TRACE_LATE] = "late",
                                                    [TRACE_DROP] = "dropped" };
    double delay = isnan(ev->delay) ? 0 : ev->delay, done = ev->time - delay;
    if (isnan(ev->compute) ? open_between(t, of, ev->worker, "compute", f->sent, done)
                           : open_work(t, of, ev->worker, "compute", done, ev->compute))
        put_minibatch(ev, fates[ev->kind]);
    if (open_work(t, of, ev->worker, "delay", ev->time, delay))
        put_minibatch(ev, fates[ev->kind]);
    if (ev->kind == TRACE_PUSH && ev->staleness != TRACE_NA)
        t->staleness += (double)ev->staleness;
    t->gradients += ev->kind == TRACE_PUSH;
    return 0;
}

/* One that was broken off, or that its worker left: up to now, as long as the worker says. */
static void broken_off(struct timeline *t, struct track *of, const struct trace_event *ev,
                       const struct fact *f, const char *name)
{
    double seconds = ev->compute + ev->delay;
    if (of->here && (isnan(seconds) ? open_between(t, of, ev->worker, name, f->sent, ev->time)
                                    : open_work(t, of, ev->worker, name, ev->time, seconds)))
        put_minibatch(ev, name);
}

static int on_cancelled(struct timeline *t, struct track *of, const struct trace_event *ev,
                        const struct fact *f)
{
    broken_off(t, of, ev, f, "cancelled");
    return 0;
}

/* What is in hand and will not end: until now. */
static void lose(struct timeline *t, struct track *of, uint64_t worker, const struct book *b, double now,
                 const char *name)
{
    for (size_t i = 0; i < b->hands && of->here; i++) {
        struct trace_event ev = trace_event(TRACE_GONE, now);
        ev.seq = b->hand[i].seq;
        ev.version = b->hand[i].version;
        if (open_between(t, of, worker, name, b->hand[i].sent, now))
            put_minibatch(&ev, name);
    }
}

static int on_away(struct timeline *t, struct track *of, const struct trace_event *ev, const struct fact *f)
{
    if (ev->kind == TRACE_LEAVE && ev->seq != TRACE_NA)
        broken_off(t, of, ev, f, "unfinished");
    lose(t, of, ev->worker, f->book, ev->time, "lost");
    of->here = false;
    return 0;
}

static int on_join(struct timeline *t, struct track *of, const struct trace_event *ev, const struct fact *f)
{
    (void)t, (void)f;
    of->here = true;
    if (nano(ev->time) > of->free)
        of->free = nano(ev->time);
    return 0;
}

static int on_send(struct timeline *t, struct track *of, const struct trace_event *ev, const struct fact *f)
{
    if (ev->seq != TRACE_NA && !isnan(f->waiting) &&
        open_between(t, of, ev->worker, "wait", f->waiting, ev->time))
        fputs("}}", stdout);
    return 0;
}

static void counter(struct timeline *t, const char *name, double now, double v)
{
    char text[NUM_TEXT];
    if (!isfinite(v))
        return;
    next(t);
    printf("{\"ph\":\"C\",\"pid\":1,\"name\":\"%s\"", name);
    put_micro("ts", nano(now));
    printf(",\"args\":{\"%s\":%s}}", name, num_print_double(text, v));
}

/* K as the note of an update (n=K, what it combined) or of a change (K=K) tells it. */
static void show_k(struct timeline *t, const struct trace_event *ev, const char *key)
{
    uint64_t k;
    struct err ignored = { 0 };
    size_t n = strlen(key);
    if (strncmp(ev->note, key, n) != 0 || num_whole(ev->note + n, &k, &ignored) < 0 || k == t->k)
        return;
    t->k = k;
    counter(t, "K", ev->time, (double)k);
}

/* An update's span reaches back to the one before. */
static int on_update(struct timeline *t, struct track *of, const struct trace_event *ev,
                     const struct fact *f)
{
    (void)of, (void)f;
    put_span(t, "update", SERVER, nano(t->updated), nano(ev->time));
    printf("\"gradients\":%" PRIu64, t->gradients);
    put_whole("iteration", ev->iteration);
    put_real("loss", ev->loss);
    fputs("}}", stdout);
    show_k(t, ev, "n=");
    counter(t, "loss", ev->time, ev->loss);
    counter(t, "staleness", ev->time, t->staleness / (double)t->gradients);
    t->updated = ev->time;
    t->staleness = 0;
    t->gradients = 0;
    return 0;
}

static int on_set(struct timeline *t, struct track *of, const struct trace_event *ev, const struct fact *f)
{
    (void)of, (void)f;
    show_k(t, ev, "K=");
    return 0;
}

static int (*const on[TRACE_KINDS])(struct timeline *, struct track *, const struct trace_event *,
                                    const struct fact *) = {
    [TRACE_JOIN] = on_join,           [TRACE_SEND] = on_send, [TRACE_PUSH] = on_done,
    [TRACE_UPDATE] = on_update,       [TRACE_LATE] = on_done, [TRACE_DROP] = on_done,
    [TRACE_CANCELLED] = on_cancelled, [TRACE_GONE] = on_away, [TRACE_LEAVE] = on_away,
    [TRACE_SET] = on_set,
};

static int event(void *state, const struct trace_event *ev, const struct fact *f, struct err *e)
{
    struct timeline *t = state;
    struct track *of;
    if (track_of(t, ev->worker, &of, e) < 0)
        return -1;
    t->ended = ev->time;
    return on[ev->kind] == NULL ? 0 : on[ev->kind](t, of, ev, f);
}

/* A trace that was cut off leaves work in hand. */
static int rows(void *state, const struct report_conf *c, const struct ledger *l, struct err *e)
{
    struct timeline *t = state;
    (void)c, (void)e;
    for (size_t w = 0; w < t->n; w++)
        lose(t, &t->v[w], w, &l->v[w], t->ended, "unfinished");
    return 0;
}

/* Of a trace that turns out to be broken the picture ends where it does, and is still one. */
static void end(void *state)
{
    struct timeline *t = state;
    if (t->begun)
        fputs("\n]}\n", stdout);
    free(t->v);
}

const struct report_ops report_timeline = {
    .plug = { .name = "timeline", .help = "what everyone did when, as JSON that Perfetto opens" },
    .state = sizeof(struct timeline),
    .start = start,
    .event = event,
    .rows = rows,
    .close = end,
};
