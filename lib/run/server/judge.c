/* The process that tells AdaSync the loss of all rows (--loss-command). */
#include "run/server/judge.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "run/picture.h"

enum { LONGEST_ROW = 4096 };
#define NO_COLUMN SIZE_MAX

struct judge {
    struct server *server;
    struct spawn spawn;     /* the command alone */
    int fd;                 /* its stdin and stdout */
    struct stream *stream;  /* models on their way to it; only the newest waits */
    struct event *readable; /* rows from it */
    char row[LONGEST_ROW];
    size_t n;      /* bytes of the row so far */
    size_t column; /* of `loss`; NO_COLUMN: the header is still to come */
    bool answered; /* once */
};

/* It is of no use any more. */
static void give_up(struct judge *j, const char *why)
{
    struct server *s = j->server;
    struct err e = { 0 };
    err_set(&e, ERR_PEER, "--loss-command '%s' %s", j->spawn.v[0].command, why);
    event_del(j->readable);
    spawn_signal(&j->spawn, SIGTERM);
    if (j->answered)
        log_note(s->log, "%s: K stays as it is", e.text);
    else
        server_end(s, "failed", &e);
}

/* The cell of that number in a row of tabs, ended by '\0' in place; NULL: there are fewer. */
static char *cell(char *row, size_t column)
{
    while (column-- > 0 && row != NULL)
        row = strchr(row, '\t') == NULL ? NULL : strchr(row, '\t') + 1;
    if (row != NULL)
        row[strcspn(row, "\t\r")] = '\0';
    return row;
}

static void take_header(struct judge *j)
{
    for (size_t i = 0; j->column == NO_COLUMN; i++) {
        char row[LONGEST_ROW], *name;
        memcpy(row, j->row, sizeof row);
        name = cell(row, i);
        if (name == NULL) {
            give_up(j, "writes no column 'loss'");
            return;
        }
        if (strcmp(name, "loss") == 0)
            j->column = i;
    }
}

static void take_row(struct judge *j)
{
    struct server *s = j->server;
    struct err e = { 0 };
    double loss = NAN;
    const char *text = cell(j->row, j->column);
    if (text == NULL || (strcmp(text, "NA") != 0 && num_real(text, &loss, &e) < 0)) {
        give_up(j, "writes a loss that is no number");
        return;
    }
    j->answered = true;
    log_detail(s->log, "the loss of all rows is %g", loss);
    if (s->phase == PHASE_RUN)
        server_event(s, aggregate_told_loss(s->aggregate, server_now(s), loss, &e), &e);
}

/* A byte that it wrote. */
static void take(struct judge *j, char byte)
{
    if (byte != '\n' && j->n + 1 < LONGEST_ROW) {
        j->row[j->n++] = byte;
        return;
    }
    j->row[j->n] = '\0';
    j->n = 0;
    if (j->column == NO_COLUMN)
        take_header(j);
    else
        take_row(j);
}

static void hear(struct judge *j)
{
    char bytes[LONGEST_ROW];
    ssize_t n = recv(j->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        event_del(j->readable); /* how it ended is told by its status */
    for (ssize_t i = 0; i < n && !j->spawn.v[0].told_to_end; i++)
        take(j, bytes[i]);
}

static void on_readable(evutil_socket_t fd, short what, void *self)
{
    (void)fd, (void)what;
    struct judge *j = self;
    hear(j);
    server_settle(j->server);
}

static void ignore_error(void *self, struct err *e)
{
    (void)self, (void)e; /* it does not read any more: its status will tell */
}

static void ignore(void *self)
{
    (void)self;
}

static const struct stream_calls stream_calls = { .broken = ignore_error, .finished = ignore };

static int check(const struct server *s, struct err *e)
{
    const struct adapt *ad = train_adapt(&s->conf->train);
    bool wanted = ad != NULL && ad->full, there = s->conf->loss_command != NULL;
    if (wanted && !there)
        return err_set(e, ERR_USAGE,
                       "policy '%s': loss=full needs a command that tells the loss of models "
                       "(--loss-command 'dsgd-eval SHARD...')",
                       s->conf->train.policy.text);
    if (there && !wanted)
        return err_set(e, ERR_USAGE, "--loss-command: only adasync with loss=full asks for it");
    return wanted;
}

static int start(struct judge *j, struct err *e)
{
    struct server *s = j->server;
    j->fd = NO_FD;
    j->column = NO_COLUMN;
    if (spawn_one(&j->spawn, s->conf->loss_command, e) < 0 ||
        spawn_start(&j->spawn.v[0], &j->fd, e) < 0)
        return -1;
    struct stream_to to = { .name = "--loss-command", .fd = j->fd, .patience = STREAM_PATIENCE };
    j->stream = stream_open(s->base, &to, &stream_calls, j, e);
    j->readable = event_new(s->base, j->fd, EV_READ | EV_PERSIST, on_readable, j);
    if (j->stream == NULL)
        return -1;
    return j->readable == NULL || event_add(j->readable, NULL) < 0 ? err_memory(e) : 0;
}

int judge_open(struct server *s, struct err *e)
{
    int wanted = check(s, e);
    if (wanted <= 0)
        return wanted;
    s->judge = mem_new(1, sizeof *s->judge, e);
    if (s->judge == NULL)
        return -1;
    s->judge->server = s;
    return start(s->judge, e);
}

void judge_close(struct server *s)
{
    struct judge *j = s->judge;
    if (j == NULL)
        return;
    if (j->readable != NULL)
        event_free(j->readable);
    stream_close(j->stream);
    if (j->fd != NO_FD)
        close(j->fd);
    spawn_free(&j->spawn);
    free(j);
    s->judge = NULL;
}

void judge_updated(struct server *s, double now)
{
    struct err e = { 0 };
    size_t n;
    if (s->judge == NULL || !aggregate_wants_loss(s->aggregate, now))
        return;
    void *bytes = picture(&s->conf->train, &s->shape, s->aggregate, now, &n, &e);
    if (bytes != NULL)
        stream_put(s->judge->stream, bytes, n);
}

void judge_ended(struct server *s)
{
    char fate[64];
    struct child *c = s->judge == NULL ? NULL : spawn_reap(&s->judge->spawn);
    if (c == NULL || c->told_to_end || s->phase == PHASE_DRAIN)
        return;
    hear(s->judge);
    give_up(s->judge, spawn_fate(c, fate, sizeof fate));
}
