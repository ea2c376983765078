/* A policy's acts, and what else the aggregate is told, as lines of the trace. */
#include "run/act_trace.h"

#include <inttypes.h>
#include <stdio.h>

static void write_note(struct trace_writer *t, struct trace_event *ev, const char *note)
{
    snprintf(ev->note, sizeof ev->note, "%s", note);
    trace_write(t, ev);
}

static struct trace_event of_worker(enum trace_kind kind, double now, uint64_t worker)
{
    struct trace_event ev = trace_event(kind, now);
    ev.worker = worker;
    return ev;
}

void act_trace_push(struct trace_writer *t, double now, const struct act *act, uint64_t iteration,
                    const struct gradient_in *g)
{
    static const enum trace_kind kinds[] = {
        [ACT_TAKE] = TRACE_PUSH, [ACT_LATE] = TRACE_LATE, [ACT_DROP] = TRACE_DROP
    };
    if (!trace_wanted(t))
        return;
    struct trace_event ev = of_worker(kinds[act->kind], now, act->worker);
    ev.seq = act->seq;
    ev.version = g->version;
    if (act->kind != ACT_LATE) {
        ev.iteration = iteration;
        ev.staleness = act->staleness;
    }
    ev.rows = g->rows;
    ev.compute = g->compute;
    ev.delay = g->delay;
    ev.loss = g->loss;
    trace_write(t, &ev);
}

void act_trace_update(struct trace_writer *t, double now, const struct act *act, double loss)
{
    if (!trace_wanted(t))
        return;
    struct trace_event ev = trace_event(TRACE_UPDATE, now);
    ev.version = ev.iteration = act->version;
    ev.loss = loss;
    snprintf(ev.note, sizeof ev.note, "n=%" PRIu64, act->count);
    trace_write(t, &ev);
}

void act_trace_void(struct trace_writer *t, double now, const struct act *act)
{
    if (!trace_wanted(t))
        return;
    struct trace_event ev = of_worker(TRACE_VOID, now, act->worker);
    ev.seq = act->seq;
    ev.version = act->version;
    trace_write(t, &ev);
}

static void put_lost(struct trace_event *ev, const struct work_lost *lost)
{
    ev->rows = lost->rows;
    ev->compute = lost->compute;
    ev->delay = lost->delay;
}

void act_trace_cancel(struct trace_writer *t, double now, const struct act *act,
                      const struct work_lost *lost, const char *why)
{
    if (!trace_wanted(t))
        return;
    struct trace_event ev = of_worker(TRACE_CANCELLED, now, act->worker);
    ev.seq = act->seq;
    put_lost(&ev, lost);
    write_note(t, &ev, why);
}

void act_trace_grant(struct trace_writer *t, double now, const struct act *act)
{
    if (!trace_wanted(t))
        return;
    struct trace_event ev =
        of_worker(act->kind == ACT_LEAVE ? TRACE_LEAVE : TRACE_SEND, now, act->worker);
    ev.version = act->version;
    if (act->kind == ACT_SEND)
        ev.seq = act->seq;
    write_note(t, &ev, act->kind == ACT_CREDIT ? "on paper" : "");
}

void act_trace_set(struct trace_writer *t, double now, uint64_t iteration, uint64_t combine,
                   double loss)
{
    if (!trace_wanted(t))
        return;
    struct trace_event ev = trace_event(TRACE_SET, now);
    ev.version = ev.iteration = iteration;
    ev.loss = loss;
    snprintf(ev.note, sizeof ev.note, "K=%" PRIu64, combine);
    trace_write(t, &ev);
}

void act_trace_join(struct trace_writer *t, double now, uint64_t worker, uint64_t version,
                    const char *note)
{
    if (!trace_wanted(t))
        return;
    struct trace_event ev = of_worker(TRACE_JOIN, now, worker);
    ev.version = version;
    write_note(t, &ev, note);
}

void act_trace_gone(struct trace_writer *t, double now, uint64_t worker, const char *note)
{
    if (!trace_wanted(t))
        return;
    struct trace_event ev = of_worker(TRACE_GONE, now, worker);
    write_note(t, &ev, note);
}

void act_trace_farewell(struct trace_writer *t, double now, uint64_t worker, uint64_t version,
                        uint64_t seq, const struct work_lost *lost)
{
    if (!trace_wanted(t))
        return;
    struct trace_event ev = of_worker(TRACE_LEAVE, now, worker);
    ev.version = version;
    ev.seq = seq;
    put_lost(&ev, lost);
    trace_write(t, &ev);
}

void act_trace_stop(struct trace_writer *t, double now, uint64_t iteration, double loss,
                    const char *why)
{
    if (!trace_wanted(t))
        return;
    struct trace_event ev = trace_event(TRACE_STOP, now);
    ev.version = ev.iteration = iteration;
    ev.loss = loss;
    write_note(t, &ev, why);
}
