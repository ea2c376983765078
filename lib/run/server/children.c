/* The workers that the server started itself: their beginning, and what their ends mean. */
#include <sys/wait.h>

#include "run/server/judge.h"

int children_start(struct server *s, struct err *e)
{
    for (size_t i = 0; i < s->spawn.n; i++) {
        int fd;
        if (spawn_start(&s->spawn.v[i], &fd, e) < 0 ||
            peer_new(s, fd, NULL, &s->spawn.v[i], e) == NULL)
            return -1;
    }
    return 0;
}

/* Before the start nobody can be spared, unless others may still connect. */
static void ended_before_the_start(struct server *s, const struct child *c)
{
    char fate[64];
    struct err e = c->why;
    if (e.kind != ERR_OK)
        err_ctx(&e, "worker %ju ('%s')", (uintmax_t)c->rank, c->command);
    else
        err_set(&e, ERR_PEER, "worker %ju ('%s') %s before the start", (uintmax_t)c->rank,
                c->command, spawn_fate(c, fate, sizeof fate));
    if (s->n_listeners == 0)
        server_end(s, "failed", &e);
    else
        log_note(s->log, "%s", e.text);
}

void children_refused(struct server *s, struct child *c)
{
    if (s->phase == PHASE_GATHER && s->n_listeners == 0)
        ended_before_the_start(s, c);
}

/* What it said before it ended may say why. */
static void hear_last_words(struct server *s, const struct child *c)
{
    struct peer *p = s->peers;
    while (p != NULL && p->child != c)
        p = p->next;
    if (p != NULL && p->state == PEER_NEW)
        conn_poll(p->conn);
}

/* A worker that was told of a failure ends with its status. */
static bool as_told(const struct server *s, const struct child *c)
{
    return s->phase == PHASE_DRAIN && s->failure.kind != ERR_OK && WIFEXITED(c->status) &&
           WEXITSTATUS(c->status) == (int)s->failure.kind;
}

void children_ended(struct server *s)
{
    struct child *c;
    char fate[64];
    judge_ended(s);
    while ((c = spawn_reap(&s->spawn)) != NULL) {
        hear_last_words(s, c);
        if (s->phase == PHASE_GATHER)
            ended_before_the_start(s, c);
        else if (spawn_failed(c) && !as_told(s, c))
            log_note(s->log, "worker %ju ('%s') %s", (uintmax_t)c->rank, c->command,
                     spawn_fate(c, fate, sizeof fate));
    }
}

void children_blame(const struct server *s)
{
    for (size_t i = 0; i < s->spawn.n; i++)
        if (s->spawn.v[i].pid != 0)
            log_note(s->log,
                     "worker %ju ('%s') did not leave within %g s (--drain-timeout): it is ended",
                     (uintmax_t)s->spawn.v[i].rank, s->spawn.v[i].command, s->conf->drain_timeout);
}
