/* Other people's logs, as traces. */
#include "run/import.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/trace.h"
#include "run/spans.h"

struct moment {
    double time;
    const struct span *span;
    uint64_t seq;
    bool end; /* of the span; else its start */
};

/* Ends come before starts of the same time; but a span of no length ends behind its own start. */
static int rank(const struct moment *m)
{
    return !(m->end && m->span->seconds > 0);
}

static int by_time(const void *a, const void *b)
{
    const struct moment *p = a, *q = b;
    if (p->time != q->time)
        return p->time < q->time ? -1 : 1;
    if (rank(p) != rank(q))
        return rank(p) - rank(q);
    if (p->span->worker != q->span->worker)
        return p->span->worker < q->span->worker ? -1 : 1;
    return p->seq != q->seq ? (p->seq < q->seq ? -1 : 1) : p->end - q->end;
}

static struct moment *moments(const struct spans *s, struct err *e)
{
    struct moment *v = mem_new(2 * s->n, sizeof *v, e);
    uint64_t seq = 0;
    for (size_t i = 0; v && i < s->n; i++) {
        const struct span *p = &s->v[i];
        seq = i > 0 && p->worker == s->v[i - 1].worker ? seq + 1 : 0;
        v[2 * i] = (struct moment){ p->start, p, seq, false };
        v[2 * i + 1] = (struct moment){ p->start + p->seconds, p, seq, true };
    }
    if (v)
        qsort(v, 2 * s->n, sizeof *v, by_time);
    return v;
}

/* The name of a worker, as far as a note can hold it. */
static void note_name(struct trace_event *ev, const char *name)
{
    snprintf(ev->note, sizeof ev->note, "%s", name);
    for (char *c = ev->note; *c; c++)
        *c = (unsigned char)*c < 0x20 ? '?' : *c;
}

static void write_joins(struct trace_writer *t, const struct spans *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (i > 0 && s->v[i].worker == s->v[i - 1].worker)
            continue;
        struct trace_event ev = trace_event(TRACE_JOIN, 0);
        ev.worker = s->v[i].worker;
        ev.version = 0;
        note_name(&ev, s->v[i].name);
        trace_write(t, &ev);
    }
}

/* Nothing is known of updates: there are none. */
static void write_moment(struct trace_writer *t, const struct moment *m)
{
    struct trace_event ev = trace_event(m->end ? TRACE_PUSH : TRACE_SEND, m->time);
    ev.worker = m->span->worker;
    ev.seq = m->seq;
    ev.version = 0;
    if (m->end) {
        ev.iteration = ev.staleness = ev.rows = 0;
        ev.compute = m->span->seconds;
        ev.delay = 0;
    }
    trace_write(t, &ev);
}

static int write_all(const struct spans *s, const char *path, struct err *e)
{
    struct trace_writer t = { 0 };
    struct moment *v = moments(s, e);
    json_t *meta = json_pack("{s:s, s:s, s:o, s:I}", "program", "dsgd-trace", "version", PACKAGE_VERSION,
                             "imported", json_sprintf("%s", path), "P", (json_int_t)s->workers);
    int status = v == NULL ? -1 : meta == NULL ? err_memory(e) : trace_open(&t, "-", meta, e);
    if (status == 0) {
        write_joins(&t, s);
        for (size_t i = 0; i < 2 * s->n; i++)
            write_moment(&t, &v[i]);
        struct trace_event stop = trace_event(TRACE_STOP, v[2 * s->n - 1].time);
        note_name(&stop, "imported");
        trace_write(&t, &stop);
        status = trace_close(&t, e);
    }
    json_decref(meta);
    free(v);
    return status;
}

static void tell_names(const struct spans *s, const struct log *log)
{
    const struct span *first = &s->v[0], *last = &s->v[s->n - 1];
    if (s->workers > 1 && *first->name && strcmp(first->name, "0") != 0)
        log_note(log, "workers are numbered from 0 in order of their names: '%s' is 0, '%s' is %" PRIu64,
                 first->name, last->name, last->worker);
}

int import_run(const struct import_conf *conf, const char *path, const struct log *log, struct err *e)
{
    struct spans s = { 0 };
    int status = spans_read(&s, conf, path, log, e);
    if (status == 0) {
        tell_names(&s, log);
        status = write_all(&s, path, e);
    }
    spans_free(&s);
    return status;
}
