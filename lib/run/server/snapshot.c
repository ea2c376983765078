/* Snapshots on stdout and the final model: when they are due, and what they hold. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/picture.h"
#include "run/server/state.h"

static void put(struct server *s, double now)
{
    struct err e = { 0 };
    size_t n;
    stream_make_way(s->stream);
    unsigned char *bytes = picture(&s->conf->train, &s->shape, s->aggregate, now, &n, &e);
    if (bytes == NULL) {
        log_note(s->log, "no snapshot of update %ju: %s",
                 (uintmax_t)aggregate_iteration(s->aggregate), e.text);
        return;
    }
    s->last_snapshot = aggregate_iteration(s->aggregate);
    stream_put(s->stream, bytes, n);
    for (struct peer *p = s->peers; p != NULL && stream_full(s->stream); p = p->next)
        conn_pause(p->conn, true);
}

void snapshot_updated(struct server *s, double now)
{
    if (s->stream != NULL && train_due(&s->conf->train, aggregate_iteration(s->aggregate), now, &s->next_snapshot))
        put(s, now);
}

void snapshot_resumed(struct server *s, double now)
{
    double every = s->conf->train.snapshots.seconds;
    if (every > 0)
        s->next_snapshot = (floor(now / every) + 1) * every;
}

/* -o: the model appears whole or not at all, but to the reader of a pipe. */
static int write_output(struct server *s, struct err *e)
{
    size_t n;
    unsigned char *bytes = picture(&s->conf->train, &s->shape, s->aggregate, s->seconds, &n, e);
    if (bytes == NULL)
        return -1;
    if (s->model != NULL) {
        stream_put(s->model, bytes, n);
        return 0;
    }
    int rc = out_write(&s->out, bytes, n, e);
    free(bytes);
    return rc < 0 ? -1 : out_commit(&s->out, e);
}

/* A model was made: not by a run that was stopped, or lost its workers. */
static bool came_to_its_end(const struct server *s)
{
    return s->signal == 0 && (s->failure.kind == ERR_OK || s->failure.kind == ERR_NO);
}

static bool last_is_due(const struct server *s)
{
    return train_wants_snapshots(&s->conf->train)
               ? s->last_snapshot != aggregate_iteration(s->aggregate)
               : came_to_its_end(s);
}

void snapshot_last(struct server *s)
{
    struct err e = { 0 };
    bool trained = s->aggregate != NULL;
    if (trained && s->conf->train.output != NULL && came_to_its_end(s) && write_output(s, &e) < 0)
        s->failure = e;
    if (s->model != NULL)
        stream_finish(s->model);
    if (s->stream == NULL)
        return;
    if (trained && last_is_due(s))
        put(s, s->seconds);
    stream_finish(s->stream);
}

static void tell_unwritten(struct server *s, const struct err *e)
{
    struct err why = *e;
    err_ctx(&why, "snapshots are missing");
    server_unwritten(s, &why);
    log_note(s->log, "%s: no more snapshots", e->text);
}

/* The reader of stdout has gone, or the disk is full. With -o there is still a reason to go on. */
static void broken(void *self, struct err *e)
{
    struct server *s = self;
    bool reader_gone = e->kind == ERR_NO;
    if (s->conf->train.output != NULL) {
        if (reader_gone)
            log_note(s->log, "%s: no more snapshots", e->text);
        else
            tell_unwritten(s, e);
        return;
    }
    if (reader_gone && s->signal == 0)
        s->signal = SIGPIPE;
    else if (s->failure.kind == ERR_OK)
        s->failure = *e;
    event_active(s->settle, 0, 0);
}

static void room(void *self)
{
    struct server *s = self;
    for (struct peer *p = s->peers; p != NULL && !s->paused; p = p->next)
        conn_pause(p->conn, false);
}

static void finished(void *self)
{
    event_active(((struct server *)self)->settle, 0, 0);
}

static const struct stream_calls snapshot_calls = { .broken = broken, .finished = finished, .room = room };

/* Its reader has gone, or nobody came. */
static void model_lost(void *self, struct err *e)
{
    struct server *s = self;
    e->kind = ERR_SYSTEM;
    err_ctx(e, "no model");
    log_note(s->log, "%s", e->text);
    server_unwritten(s, e);
}

static const struct stream_calls model_calls = { .broken = model_lost, .finished = finished };

/* A pipe or FIFO takes the model when its reader does. */
static int open_output(struct server *s, struct err *e)
{
    struct stream_to to;
    int found = stream_find(s->conf->train.output, &to, e);
    if (found <= 0)
        return found < 0 ? -1 : out_open(&s->out, s->conf->train.output, e);
    s->model = stream_open(s->base, &to, &model_calls, s, e);
    return s->model == NULL ? -1 : 0;
}

static bool stdout_closed(void)
{
    return (fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY;
}

int snapshot_open(struct server *s, struct err *e)
{
    struct train_conf *c = &s->conf->train;
    struct stream_to to = { .name = "<stdout>",
                            .fd = STDOUT_FILENO,
                            .lossless = s->conf->lossless,
                            .patience = STREAM_PATIENCE };
    s->last_snapshot = NO_PLACE;
    if (c->output != NULL && strcmp(c->output, "-") == 0)
        c->output = NULL; /* nothing else goes there: outputs are distinct */
    if (train_wants_stdout(c) && isatty(STDOUT_FILENO))
        return err_set(e, ERR_USAGE,
                       "<stdout>: is a terminal, which cannot show a model; "
                       "name a file (-o FILE) or a reader (| dsgd-eval)");
    if (c->output == NULL && stdout_closed())
        return err_set(e, ERR_SYSTEM, "<stdout>: is not open for writing");
    if (c->output != NULL && open_output(s, e) < 0)
        return -1;
    if (!train_wants_stdout(c))
        return 0;
    if (stdout_closed()) {
        log_note(s->log, "<stdout>: is not open for writing: no snapshots");
        return 0;
    }
    s->stream = stream_open(s->base, &to, &snapshot_calls, s, e);
    return s->stream == NULL ? -1 : 0;
}
