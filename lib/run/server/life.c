/* The life of a run: gather, run, drain; and every event that moves it on. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/progress.h"
#include "run/server/journal.h"
#include "run/server/loss.h"
#include "run/server/metrics.h"
#include "run/server/save.h"

enum {
    KILL_AFTER = 2, /* seconds from SIGTERM to SIGKILL, for children that do not leave */
    BEATS = 6,      /* heartbeats in a --worker-timeout */
    READER_IS_SLOW = 1, /* seconds, after which it is told that stdout is waited for */
};
static const double least_waiting = 2; /* seconds that a worker may be silent before its WELCOME */
static const double longest_beat = 1; /* seconds between heartbeats; who waits to be let in needs them */
static const double longest_wait = 1e9; /* seconds; more than a timer is good for */

struct timeval server_interval(double seconds)
{
    seconds = fmin(seconds, longest_wait);
    double whole = floor(seconds);
    return (struct timeval){ .tv_sec = (time_t)whole,
                             .tv_usec = (suseconds_t)((seconds - whole) * 1e6) };
}

double server_now(const struct server *s)
{
    return s->paused ? s->paused_at : round((clock_now() - s->start) * 1e9) / 1e9; /* as a trace tells it */
}

int server_event(struct server *s, int rc, struct err *e)
{
    if (rc == 0)
        return 0;
    if (e->kind == ERR_PEER)
        return -1;
    server_end(s, "failed", e);
    return 0;
}

static void start_drain_limit(struct server *s)
{
    struct timeval t = server_interval(s->conf->drain_timeout);
    event_add(s->limit, &t);
}

/* Who has not said what it wants is not told that there is nothing. */
static void drop_strangers(struct server *s)
{
    for (struct peer *p = s->peers, *next; p != NULL; p = next) {
        next = p->next;
        if (p->state == PEER_NEW && p->child == NULL)
            peer_free(p);
    }
}

/* Workers end well when the run ended, was stopped, lost others or failed here; not when it
 * diverged or never began. */
static void dismiss_all(struct server *s, bool ran)
{
    bool failed = s->failure.kind == ERR_NO || (s->failure.kind != ERR_OK && !ran);
    for (struct peer *p = s->peers; p != NULL; p = p->next)
        peer_dismiss(p, failed ? &s->failure : NULL);
    start_drain_limit(s);
}

/* A server that is killed before the last checkpoint is whole needs them when it goes on from the one before. */
static void stop_holding(struct server *s)
{
    s->holding = false;
    dismiss_all(s, true);
}

void server_end(struct server *s, const char *why, const struct err *failure)
{
    if (s->phase == PHASE_DRAIN)
        return;
    bool ran = s->phase == PHASE_RUN;
    if (s->paused)
        server_go_on(s);
    s->phase = PHASE_DRAIN;
    s->seconds = ran ? server_now(s) : 0;
    if (failure != NULL)
        s->failure = *failure;
    if (s->aggregate != NULL)
        aggregate_stop(s->aggregate, s->seconds, why);
    snapshot_last(s);
    if (ran)
        save_last(s);
    listen_close(s);
    drop_strangers(s);
    event_del(s->loss_limit);
    event_del(s->limit);
    s->holding = ran && save_busy(s);
    if (s->holding)
        start_drain_limit(s);
    else
        dismiss_all(s, ran);
    event_active(s->settle, 0, 0);
}

static void begin(struct server *s)
{
    struct err e = { 0 };
    if (server_begin(s, &e) < 0)
        server_end(s, "failed", &e);
    else
        server_settle(s);
}

static void settle_run(struct server *s)
{
    const struct policy *p = aggregate_policy(s->aggregate);
    if (policy_ended(p))
        server_end(s, train_why(&s->conf->train, policy_version(p)), NULL);
    else
        loss_settle(s);
}

/* An output whose reader has still to take some of it; or NULL. */
static const struct stream *unread(const struct server *s)
{
    const struct stream *all[] = { s->stream, s->model, journal_stream(s) };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!stream_over(all[i]))
            return all[i];
    return NULL;
}

/* All have left: only readers can keep the server. */
static void settle_streams(struct server *s)
{
    static const struct timeval soon = { .tv_sec = READER_IS_SLOW };
    if (!s->summed)
        journal_finish(s);
    if (unread(s) == NULL)
        event_base_loopbreak(s->base);
    else if (!s->summed)
        event_add(s->limit, &soon);
    server_summary(s);
}

void server_settle(struct server *s)
{
    if (s->phase == PHASE_GATHER && roster_complete(s))
        begin(s);
    else if (s->phase == PHASE_RUN)
        settle_run(s);
    if (s->phase != PHASE_DRAIN && (s->signal != 0 || s->failure.kind != ERR_OK))
        server_end(s, "stopped", NULL);
    if (s->holding && !save_busy(s))
        stop_holding(s);
    if (s->phase == PHASE_DRAIN && s->peers == NULL && spawn_alive(&s->spawn) == 0 && !save_busy(s))
        settle_streams(s);
}

static void on_settle(evutil_socket_t fd, short what, void *self)
{
    (void)fd, (void)what;
    server_settle(self);
}

static void join_timed_out(struct server *s)
{
    struct err e = { 0 };
    roster_fill_all(s);
    if (roster_complete(s)) {
        server_settle(s);
        return;
    }
    err_set(&e, ERR_PEER, "%ju of %ju worker%s joined within %g s (--join-timeout)",
            (uintmax_t)roster_ready(s), (uintmax_t)s->workers, s->workers == 1 ? "" : "s",
            s->conf->join_timeout);
    server_end(s, "failed", &e);
}

static void tell_reader(const struct server *s)
{
    const struct stream *waits = unread(s);
    if (waits != NULL)
        log_note(s->log,
                 "waiting for the reader of %s, until it has taken nothing for %d s; SIGTERM ends it now",
                 waits == s->stream ? "standard output" : stream_name(waits), STREAM_PATIENCE);
}

/* Those that were told to leave and did not. First the time for SIGTERM, then that for SIGKILL. */
static void drain_timed_out(struct server *s)
{
    static const struct timeval patience = { .tv_sec = KILL_AFTER };
    if (s->holding) {
        stop_holding(s);
        return;
    }
    if (s->summed) {
        tell_reader(s);
        return;
    }
    if (!s->killing)
        children_blame(s);
    while (s->peers != NULL)
        peer_free(s->peers);
    spawn_signal(&s->spawn, s->killing ? SIGKILL : SIGTERM);
    if (!s->killing)
        event_add(s->limit, &patience);
    s->killing = true;
    server_settle(s);
}

/* The loop's timers count from when it last looked at the clock: they may be early. */
static void time_is_over(struct server *s)
{
    double left = s->conf->train.seconds - server_now(s);
    struct timeval t = server_interval(left + 1e-6);
    if (left > 0)
        event_add(s->limit, &t);
    else
        server_end(s, "time", NULL);
}

/* The limit of each phase. */
static void on_limit(evutil_socket_t fd, short what, void *self)
{
    (void)fd, (void)what;
    static void (*const over[])(struct server *) = {
        [PHASE_GATHER] = join_timed_out,
        [PHASE_RUN] = time_is_over,
        [PHASE_DRAIN] = drain_timed_out,
    };
    struct server *s = self;
    over[s->phase](s);
}

static void on_loss_limit(evutil_socket_t fd, short what, void *self)
{
    (void)fd, (void)what;
    loss_timeout(self);
}

/* How long a peer may be silent in its state; INFINITY: as long as it likes. */
static double patience(const struct server *s, const struct peer *p)
{
    if (p->state == PEER_NEW || p->state == PEER_LEAVING || (s->paused && p->state == PEER_WORKING) ||
        (s->stream != NULL && stream_full(s->stream)))
        return INFINITY;
    return p->state == PEER_WORKING ? s->conf->worker_timeout
                                    : fmax(s->conf->worker_timeout, least_waiting);
}

static void drop_silent(struct peer *p, double seconds)
{
    char why[80];
    snprintf(why, sizeof why, "nothing was heard of it for %g s", seconds);
    peer_give_up(p, why);
}

static double beat_of(const struct server *s)
{
    return fmin(s->conf->worker_timeout / BEATS, longest_beat);
}

/* Who was not there to listen, frozen or starved, holds nobody silent: first it hears what came meanwhile, for timers
 * are looked at before sockets then. */
static bool listened(struct server *s, double now)
{
    bool was_there = now - s->ticked < 2 * beat_of(s);
    s->ticked = now;
    return was_there;
}

/* Heartbeats go where nothing else is under way. */
static void on_tick(evutil_socket_t fd, short what, void *self)
{
    (void)fd, (void)what;
    struct server *s = self;
    double now = clock_now();
    bool heard_all = listened(s, now);
    for (struct peer *p = s->peers, *next; p != NULL; p = next) {
        next = p->next;
        double limit = patience(s, p);
        if (heard_all && now - conn_heard(p->conn) > limit)
            drop_silent(p, limit);
        else if (p->state != PEER_NEW && p->state != PEER_LEAVING && conn_queued(p->conn) == 0)
            peer_send(p, FRAME_HEARTBEAT, 0, "");
    }
    journal_flush(s);
    metrics_tick(s);
    roster_fill(s);
    server_settle(s);
}

static void on_progress(evutil_socket_t fd, short what, void *self)
{
    (void)fd, (void)what;
    struct server *s = self;
    if (s->phase == PHASE_RUN)
        meter_show(s);
}

/* The first signal ends the run in order, the second, or one after the end, at once. */
static void on_stop(evutil_socket_t signal, short what, void *self)
{
    (void)what;
    struct server *s = self;
    bool again = s->signal != 0 || s->phase == PHASE_DRAIN;
    s->signal = (int)signal;
    if (again) {
        event_base_loopbreak(s->base);
        return;
    }
    const char *name = signal == SIGINT ? "SIGINT" : signal == SIGHUP ? "SIGHUP" : "SIGTERM";
    if (s->phase == PHASE_GATHER)
        log_note(s->log, "%s: stopping before the start, with %ju of %ju worker%s", name,
                 (uintmax_t)roster_ready(s), (uintmax_t)s->workers, s->workers == 1 ? "" : "s");
    else
        log_note(s->log, "%s: stopping after update %ju", name,
                 (uintmax_t)aggregate_iteration(s->aggregate));
    server_end(s, name, NULL);
}

static void on_child(evutil_socket_t signal, short what, void *self)
{
    (void)signal, (void)what;
    children_ended(self);
    server_settle(self);
}

static struct event *add_event(struct server *s, int fd, short what, event_callback_fn call,
                               const struct timeval *t)
{
    struct event *ev = event_new(s->base, fd, what, call, s);
    if (ev != NULL && (t != NULL || what & EV_SIGNAL) && event_add(ev, t) < 0) {
        event_free(ev);
        return NULL;
    }
    return ev;
}

/* As nohup leaves it: then it stays so. */
static bool hangup_ignored(void)
{
    struct sigaction now;
    return sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

int life_open(struct server *s, struct err *e)
{
    struct timeval beat = server_interval(beat_of(s));
    struct timeval join = server_interval(s->conf->join_timeout);
    struct timeval pause = server_interval(PROGRESS_PAUSE);
    s->settle = add_event(s, -1, 0, on_settle, NULL);
    s->loss_limit = add_event(s, -1, 0, on_loss_limit, NULL);
    s->limit = add_event(s, -1, 0, on_limit, &join);
    s->tick = add_event(s, -1, EV_PERSIST, on_tick, &beat);
    s->progress =
        add_event(s, -1, EV_PERSIST, on_progress, progress_wanted(s->log) ? &pause : NULL);
    s->signals[0] = add_event(s, SIGINT, EV_SIGNAL | EV_PERSIST, on_stop, NULL);
    s->signals[1] = add_event(s, SIGTERM, EV_SIGNAL | EV_PERSIST, on_stop, NULL);
    s->signals[2] = add_event(s, SIGCHLD, EV_SIGNAL | EV_PERSIST, on_child, NULL);
    s->signals[3] = hangup_ignored()
                        ? add_event(s, -1, 0, on_stop, NULL)
                        : add_event(s, SIGHUP, EV_SIGNAL | EV_PERSIST, on_stop, NULL);
    if (s->settle && s->loss_limit && s->limit && s->tick && s->progress && s->signals[0] &&
        s->signals[1] && s->signals[2] && s->signals[3])
        return 0;
    return err_set(e, ERR_SYSTEM, "the event loop cannot be set up");
}

void life_close(struct server *s)
{
    struct event **all[] = { &s->settle,     &s->loss_limit, &s->limit,
                             &s->tick,       &s->progress,   &s->signals[0],
                             &s->signals[1], &s->signals[2], &s->signals[3] };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (*all[i] != NULL)
            event_free(*all[i]);
        *all[i] = NULL;
    }
}
