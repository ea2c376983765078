/* JSON trace events, as of Chrome, Perfetto and PyTorch's profiler. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/events.h"
#include "run/logs.h"

#define TICK 1e-6          /* seconds: times of trace events are in microseconds */
#define STEPS "ProfilerStep#*" /* what PyTorch calls a step */

enum { SHOWN = 12 /* names in a message */ };

/* An event that began and has not ended. */
struct open {
    char *who; /* its thread */
    double start;
    size_t line;
    bool wanted;
};

struct reading {
    struct events events;
    const struct import_conf *conf;
    struct spans *to;
    struct open *open;
    size_t n, cap;
    size_t strays; /* ends without a beginning */
    char *names[SHOWN];
    size_t named;
};

/* A name, or the start of one in front of '*'. */
static bool matches(const char *pattern, const char *name)
{
    size_t n = strlen(pattern);
    return n > 0 && pattern[n - 1] == '*' ? strncmp(pattern, name, n - 1) == 0 : strcmp(pattern, name) == 0;
}

static const char *text_of(const json_t *event, const char *key)
{
    const char *text = json_string_value(json_object_get(event, key));
    return text != NULL ? text : "";
}

/* A pid or tid: a number or a text. */
static char *id_of(const json_t *event, const char *key, struct err *e)
{
    const json_t *id = json_object_get(event, key);
    return json_is_number(id) ? mem_print(e, "%.15g", json_number_value(id)) : mem_text(text_of(event, key), e);
}

static char *thread_of(const json_t *event, struct err *e)
{
    char *pid = id_of(event, "pid", e), *tid = id_of(event, "tid", e);
    char *both = pid != NULL && tid != NULL ? mem_print(e, "%s/%s", pid, tid) : NULL;
    free(pid);
    free(tid);
    return both;
}

/* PyTorch writes a step once more for the GPU. */
static bool is_wanted(const struct reading *r, const json_t *event)
{
    bool twice = strncmp(text_of(event, "cat"), "gpu_", 4) == 0;
    return r->conf->event != NULL ? matches(r->conf->event, text_of(event, "name"))
                                  : matches(STEPS, text_of(event, "name")) && !twice;
}

static int time_of(const struct reading *r, const json_t *event, const char *key, double *v, struct err *e)
{
    const json_t *number = json_object_get(event, key);
    *v = json_number_value(number) * TICK;
    if (json_is_number(number) && isfinite(*v))
        return 0;
    return err_set(e, ERR_DATA, "%s:%zu: event '%.40s' has no number \"%s\"", r->events.source->name, r->events.line,
                   text_of(event, "name"), key);
}

static int add(struct reading *r, const json_t *event, double start, double seconds, size_t line, struct err *e)
{
    bool thread = r->conf->worker != NULL && strcmp(r->conf->worker, "tid") == 0;
    struct span p = { .start = start, .seconds = seconds, .step = NAN, .line = line };
    if (seconds < 0)
        return err_set(e, ERR_DATA, "%s:%zu: event '%.40s' takes %g s", r->events.source->name, r->events.line,
                       text_of(event, "name"), seconds);
    p.name = thread ? thread_of(event, e) : id_of(event, "pid", e);
    return p.name == NULL ? -1 : spans_add(r->to, &p, e);
}

static int take_whole(struct reading *r, const json_t *event, struct err *e)
{
    double start, seconds;
    if (time_of(r, event, "ts", &start, e) < 0 || time_of(r, event, "dur", &seconds, e) < 0)
        return -1;
    return add(r, event, start, seconds, r->events.line, e);
}

static int take_begin(struct reading *r, const json_t *event, struct err *e)
{
    struct open o = { .line = r->events.line, .wanted = is_wanted(r, event) };
    if (time_of(r, event, "ts", &o.start, e) < 0 || mem_grow(&r->open, &r->cap, r->n + 1, sizeof *r->open, e) < 0 ||
        (o.who = thread_of(event, e)) == NULL)
        return -1;
    r->open[r->n++] = o;
    return 0;
}

/* The event that its thread began last. One from before the trace has no beginning. */
static int take_end(struct reading *r, const json_t *event, struct err *e)
{
    double end;
    char *who = thread_of(event, e);
    if (who == NULL || time_of(r, event, "ts", &end, e) < 0) {
        free(who);
        return -1;
    }
    size_t i = r->n;
    while (i > 0 && strcmp(r->open[i - 1].who, who) != 0)
        i--;
    free(who);
    if (i == 0) {
        r->strays++;
        return 0;
    }
    struct open o = r->open[i - 1];
    free(o.who);
    memmove(&r->open[i - 1], &r->open[i], (--r->n - (i - 1)) * sizeof *r->open);
    return o.wanted ? add(r, event, o.start, end - o.start, o.line, e) : 0;
}

/* For a message: what could have been asked for. */
static int note_name(struct reading *r, const char *name, struct err *e)
{
    for (size_t i = 0; i < r->named; i++)
        if (strcmp(r->names[i], name) == 0)
            return 0;
    if (r->named == SHOWN)
        return 0;
    r->names[r->named] = mem_text(name, e);
    return r->names[r->named] == NULL ? -1 : (r->named++, 0);
}

static int take(struct reading *r, const json_t *event, struct err *e)
{
    const char *kind = text_of(event, "ph");
    bool whole = strcmp(kind, "X") == 0, begin = strcmp(kind, "B") == 0;
    if ((whole || begin) && note_name(r, text_of(event, "name"), e) < 0)
        return -1;
    if (begin)
        return take_begin(r, event, e);
    if (strcmp(kind, "E") == 0)
        return take_end(r, event, e);
    return whole && is_wanted(r, event) ? take_whole(r, event, e) : 0;
}

/* None of the events is a piece of work. */
static int none(const struct reading *r, struct err *e)
{
    char known[400] = "";
    size_t used = 0;
    for (size_t i = 0; i < r->named && used < sizeof known - 50; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s'%.40s'", i > 0 ? ", " : "", r->names[i]);
    if (r->conf->event != NULL)
        return err_set(e, ERR_DATA, "%s: no event '%s' that ended; there are %s", r->events.source->name,
                       r->conf->event, r->named > 0 ? known : "none at all");
    return err_set(e, ERR_DATA, "%s: which events are the minibatches? Name them (--event NAME, or --event 'NAME*'); "
                   "there are %s", r->events.source->name, r->named > 0 ? known : "none at all");
}

static int check_worker(const struct import_conf *c, struct err *e)
{
    if (c->worker == NULL || strcmp(c->worker, "pid") == 0 || strcmp(c->worker, "tid") == 0)
        return 0;
    return err_set(e, ERR_USAGE, "--worker '%s': of trace events it is pid, or tid for each thread", c->worker);
}

int events_read(struct spans *to, struct source *source, const struct import_conf *c, const struct log *log,
                struct err *e)
{
    struct reading *r = mem_new(1, sizeof *r, e);
    json_t *event;
    if (r == NULL)
        return -1;
    r->events.source = source;
    r->events.key = "traceEvents";
    r->events.most = LOG_EVENT;
    r->conf = c;
    r->to = to;
    int more = 0, status = check_worker(c, e);
    while (status == 0 && (more = events_next(&r->events, &event, e)) > 0) {
        status = take(r, event, e);
        json_decref(event);
    }
    status = status < 0 || more < 0 ? -1 : to->n == 0 ? none(r, e) : 0;
    if (status == 0 && r->n + r->strays > 0)
        log_note(log, "%s: %zu events that began or ended outside of the trace are left out", source->name,
                 r->n + r->strays);
    for (size_t i = 0; i < r->n; i++)
        free(r->open[i].who);
    for (size_t i = 0; i < r->named; i++)
        free(r->names[i]);
    free(r->open);
    events_free(&r->events);
    free(r);
    return status;
}
