/* The trace writer and its reader: what goes in comes out, and what fails is told once. */
#include "base/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/tap.h"

static bool same_real(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static bool same_event(const struct trace_event *a, const struct trace_event *b)
{
    return fabs(a->time - b->time) < 1e-9 && a->kind == b->kind && a->worker == b->worker &&
           a->seq == b->seq && a->version == b->version && a->iteration == b->iteration &&
           a->staleness == b->staleness && a->rows == b->rows && same_real(a->compute, b->compute) &&
           same_real(a->delay, b->delay) && same_real(a->loss, b->loss) &&
           strcmp(a->note, b->note) == 0;
}

/* One event of every kind, with all columns, and numbers that are hard to write. */
static size_t some_events(struct trace_event *v)
{
    size_t n = 0;
    for (int kind = 0; kind < TRACE_KINDS; kind++) {
        struct trace_event ev = trace_event((enum trace_kind)kind, 0.1 * kind);
        ev.worker = (uint64_t)kind;
        ev.seq = UINT64_MAX - 1;
        ev.version = ev.iteration = ev.staleness = ev.rows = 10000000000000000000u;
        ev.compute = 0.1 + 0.2;
        ev.delay = 5e-324;
        ev.loss = -1.7976931348623157e308;
        snprintf(ev.note, sizeof ev.note, "n=%d, a longer text", kind);
        v[n++] = ev;
    }
    v[n++] = trace_event(TRACE_SET, 2);
    v[n++] = trace_event(TRACE_STOP, 123456789.123456789);
    return n;
}

static void test_round_trip(void)
{
    struct trace_event v[TRACE_KINDS + 2], ev;
    size_t n = some_events(v), same = 0;
    struct trace_writer w = { 0 };
    struct trace_reader r = { 0 };
    struct err e = { 0 };
    json_t *meta = json_pack("{s:i, s:s}", "P", 8, "policy", "k-sync:4");
    ok(trace_open(&w, "t", meta, &e) == 0, "a trace is opened %s", e.text);
    for (size_t i = 0; i < n; i++)
        trace_write(&w, &v[i]);
    ok(trace_close(&w, &e) == 0, "and closed");
    ok(trace_start(&r, "t", &e) == 0 && json_equal(r.meta, meta), "its line 1 comes back %s", e.text);
    while (trace_next(&r, &ev, &e) == 1 && same < n && same_event(&ev, &v[same]))
        same++;
    ok(same == n && e.kind == ERR_OK && !r.cut, "and every event, to the bit %s", e.text);
    trace_end(&r);
    json_decref(meta);
}

static void test_note(void)
{
    struct trace_writer w = { 0 };
    struct trace_reader r = { 0 };
    struct trace_event ev = trace_event(TRACE_SET, 0);
    struct err e = { 0 };
    json_t *meta = json_object();
    strcpy(ev.note, "a\tb\nc");
    trace_open(&w, "note", meta, &e);
    trace_write(&w, &ev);
    memset(ev.note, 'x', sizeof ev.note - 1);
    trace_write(&w, &ev);
    trace_close(&w, &e);
    trace_start(&r, "note", &e);
    ok(trace_next(&r, &ev, &e) == 1 && same_text(ev.note, "a b c"), "a note stays one cell");
    ok(trace_next(&r, &ev, &e) == 1 && strlen(ev.note) == sizeof ev.note - 1,
       "the longest note fits %s", e.text);
    ok(trace_next(&r, &ev, &e) == 0, "and that is all");
    trace_end(&r);
    json_decref(meta);
}

static off_t size_of(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 ? s.st_size : -1;
}

static void test_flush(void)
{
    struct trace_writer w = { 0 };
    struct trace_event ev = trace_event(TRACE_SET, 0.5);
    struct err e = { 0 };
    json_t *meta = json_object();
    trace_open(&w, "f", meta, &e);
    off_t head = size_of("f");
    ok(head > 0, "the first two lines are there at once");
    trace_write(&w, &ev);
    ev.time = 1.5;
    trace_write(&w, &ev);
    off_t later = size_of("f");
    ok(later > head, "a second later the events are there");
    trace_write(&w, &ev);
    ok(trace_flush(&w, &e) == 0 && size_of("f") > later, "and whenever trace_flush says so");
    trace_close(&w, &e);
    json_decref(meta);
}

static void test_failure(void)
{
    struct trace_writer w = { 0 };
    struct trace_event ev = trace_event(TRACE_SET, 2);
    struct err e = { 0 };
    json_t *meta = json_object();
    trace_write(&w, &ev);
    ok(trace_flush(&w, &e) == 0 && trace_close(&w, &e) == 0, "a writer never opened swallows events");
    ok(trace_open(&w, "absent/t", meta, &e) == -1 && e.kind == ERR_SYSTEM && strstr(e.text, "absent/t: "),
       "a folder that is not there: %s", e.text);
    json_decref(meta);
}

static void test_full(void)
{
    struct trace_writer w = { 0 };
    struct trace_event ev = trace_event(TRACE_SET, 2);
    struct err e = { 0 };
    json_t *meta = json_object();
    ok(trace_open(&w, "/dev/full", meta, &e) == -1 && e.kind == ERR_SYSTEM &&
           strstr(e.text, "/dev/full: "),
       "a full disk at the start: %s", e.text);
    memset(&e, 0, sizeof e);
    trace_open(&w, "full", meta, &e);
    if (freopen("/dev/full", "w", w.file) == NULL)
        exit(99);
    trace_write(&w, &ev);
    ok(trace_flush(&w, &e) == -1 && e.kind == ERR_SYSTEM && strstr(e.text, "full: "),
       "a full disk later: %s", e.text);
    trace_write(&w, &ev);
    ok(trace_flush(&w, &e) == 0 && trace_close(&w, &e) == 0, "is told once");
    json_decref(meta);
}

int main(void)
{
    char folder[] = "/tmp/tracing-test-XXXXXX", remove[64];
    if (mkdtemp(folder) == NULL || chdir(folder) < 0)
        return 99;
    test_round_trip();
    test_note();
    test_flush();
    test_failure();
    if (access("/dev/full", F_OK) == 0)
        test_full();
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    if (chdir("/") < 0 || system(remove) != 0)
        return 99;
    return tap_done();
}
