/* Workers that are lost: what is said, and whether the run can go on without (--on-loss). */
#include <stdio.h>
#include <string.h>

#include "run/server/loss.h"

static const struct loss_ops loss_wait = {
    .plug = { .name = "wait", .help = "wait for a worker in its place, until --loss-timeout" },
    .policy = POLICY_KEEP,
    .wait = true,
};

static const struct loss_ops loss_shrink = {
    .plug = { .name = "shrink", .help = "combine fewer gradients until workers return" },
    .policy = POLICY_SHRINK,
    .wait = true,
};

static const struct loss_ops loss_fail = {
    .plug = { .name = "fail", .help = "end the run with status 5" },
    .policy = POLICY_KEEP,
};

static const struct plug *const rows[] = { &loss_wait.plug, &loss_shrink.plug, &loss_fail.plug,
                                           NULL };
const struct table loss_table = { "way to take a loss", rows };

void loss_of(struct peer *p, const char *why)
{
    struct server *s = p->server;
    struct err e = { 0 };
    struct place *place = &s->places[p->rank];
    uint64_t update = aggregate_iteration(s->aggregate);
    char note[sizeof ((struct trace_event *)0)->note];
    log_note(s->log, "worker %ju (%s) is lost after update %ju: %s", (uintmax_t)p->rank, p->label,
             (uintmax_t)update, why);
    place->peer = NULL;
    place->lost_at = update;
    s->last_lost = p->rank;
    snprintf(note, sizeof note, "%s", why);
    p->state = PEER_LEAVING; /* whatever it still says is not heard */
    server_event(s, aggregate_gone(s->aggregate, server_now(s), p->rank, note, &e), &e);
}

/* K changes with the workers that are left; told where that was asked for. */
static void tell_combine(struct server *s)
{
    uint64_t k = policy_combine(aggregate_policy(s->aggregate));
    if (k == s->combine)
        return;
    if (loss_row(s)->policy == POLICY_SHRINK)
        log_note(s->log, "K is now %ju, with %ju of %ju worker%s", (uintmax_t)k,
                 (uintmax_t)loss_here(s), (uintmax_t)s->workers, s->workers == 1 ? "" : "s");
    s->combine = k;
}

uint64_t loss_here(const struct server *s)
{
    uint64_t n = 0;
    for (uint64_t r = 0; r < s->workers; r++)
        n += policy_here(aggregate_policy(s->aggregate), r);
    return n;
}

/* The run cannot go on. */
static void give_up(struct server *s, const char *why)
{
    struct err e = { 0 };
    err_set(&e, ERR_PEER, "worker %ju (%s) was lost, %ju of %ju worker%s left at update %ju: %s",
            (uintmax_t)s->last_lost, s->places[s->last_lost].label, (uintmax_t)loss_here(s),
            (uintmax_t)s->workers, s->workers == 1 ? " is" : "s are",
            (uintmax_t)aggregate_iteration(s->aggregate), why);
    server_end(s, "worker lost", &e);
}

void loss_timeout(struct server *s)
{
    char why[100];
    snprintf(why, sizeof why, "nobody took its place within %g s (--loss-timeout)",
             s->conf->loss_timeout);
    give_up(s, why);
}

void loss_settle(struct server *s)
{
    bool stalled = policy_stalled(aggregate_policy(s->aggregate));
    tell_combine(s);
    if (stalled == s->stalled)
        return;
    s->stalled = stalled;
    if (!stalled) {
        log_note(s->log, "the run goes on");
        event_del(s->loss_limit);
    } else if (!loss_row(s)->wait) {
        give_up(s, "--on-loss fail");
    } else if (s->n_listeners == 0) {
        give_up(s, "nobody can take its place: there is no -l");
    } else {
        struct timeval limit = server_interval(s->conf->loss_timeout);
        log_note(s->log, "no update without it: waiting up to %g s for a worker in its place",
                 s->conf->loss_timeout);
        event_add(s->loss_limit, &limit);
    }
}
