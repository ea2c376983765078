/* Snapshots on stdout and the final model: when they are due, and what they hold. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "run/server_state.h"

static bool wants_snapshots(const struct server *s)
{
    return s->conf->snapshots.updates > 0 || s->conf->snapshots.seconds > 0;
}

/* stdout takes the snapshots, and without -o the final model. */
static bool wants_stdout(const struct server *s)
{
    return wants_snapshots(s) || s->conf->output == NULL;
}

/* Data of the workers as JSON text, loss as a number or NA: what is good to know of a model. */
static int set_extras(const struct server *s, json_t *meta, struct err *e)
{
    char loss[NUM_TEXT];
    char *data = json_dumps(s->data, JSON_COMPACT);
    if (data == NULL)
        return err_memory(e);
    int rc = meta_set(meta, "loss", e, "%s", num_print_double(loss, aggregate_loss(s->aggregate)));
    if (rc == 0)
        rc = meta_set(meta, "policy", e, "%s", s->conf->policy.text);
    if (rc == 0)
        rc = meta_set(meta, "seed", e, "%ju", (uintmax_t)s->conf->seed);
    if (rc == 0)
        rc = meta_set(meta, "data", e, "%s", data);
    if (rc == 0)
        rc = meta_set(meta, "version", e, "%s", PACKAGE_VERSION);
    free(data);
    return rc;
}

static json_t *metadata(const struct server *s, double now, struct err *e)
{
    json_t *meta = json_object();
    if (meta == NULL) {
        err_memory(e);
        return NULL;
    }
    if (model_meta(meta, &s->conf->model, &s->dims, &s->classes, aggregate_iteration(s->aggregate),
                   now, e) == 0 &&
        set_extras(s, meta, e) == 0)
        return meta;
    json_decref(meta);
    return NULL;
}

/* The parameters as they are now, as a record of *n bytes. */
static unsigned char *picture(const struct server *s, double now, size_t *n, struct err *e)
{
    struct tensor tensors[LAYOUT_PARTS];
    const float *w = aggregate_w(s->aggregate);
    size_t parts = model_tensors(&s->layout, w, tensors), length;
    json_t *meta = metadata(s, now, e);
    if (meta == NULL)
        return NULL;
    unsigned char *header = record_header(tensors, parts, meta, &length, n, e);
    json_decref(meta);
    if (header == NULL)
        return NULL;
    unsigned char *bytes = realloc(header, *n);
    if (bytes == NULL) {
        free(header);
        err_memory(e);
        return NULL;
    }
    memcpy(bytes + length, w, s->layout.size * sizeof *w); /* its parts follow each other in w */
    return bytes;
}

static void put(struct server *s, double now)
{
    struct err e = { 0 };
    size_t n;
    unsigned char *bytes = picture(s, now, &n, &e);
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
    const struct every *every = &s->conf->snapshots;
    uint64_t iteration = aggregate_iteration(s->aggregate);
    if (!wants_snapshots(s))
        return;
    bool due = every->updates > 0 ? iteration % every->updates == 0 : now >= s->next_snapshot;
    if (!due && iteration > 0)
        return;
    if (every->seconds > 0)
        s->next_snapshot = (floor(now / every->seconds) + 1) * every->seconds;
    put(s, now);
}

/* -o: the model appears whole or not at all. */
static int write_output(struct server *s, struct err *e)
{
    size_t n;
    unsigned char *bytes = picture(s, s->seconds, &n, e);
    if (bytes == NULL)
        return -1;
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
    return wants_snapshots(s) ? s->last_snapshot != aggregate_iteration(s->aggregate)
                              : came_to_its_end(s);
}

void snapshot_last(struct server *s)
{
    struct err e = { 0 };
    bool trained = s->aggregate != NULL;
    if (trained && s->conf->output != NULL && came_to_its_end(s) && write_output(s, &e) < 0)
        s->failure = e;
    if (s->stream == NULL) {
        s->stream_done = true;
        return;
    }
    if (trained && last_is_due(s))
        put(s, s->seconds);
    stream_finish(s->stream);
}

/* The reader of stdout has gone, or the disk is full. With -o there is still a reason to go on. */
static void broken(void *self, struct err *e)
{
    struct server *s = self;
    bool reader_gone = e->kind == ERR_NO;
    if (s->conf->output != NULL) {
        log_note(s->log, "%s: no more snapshots", e->text);
        if (!reader_gone && s->failure.kind == ERR_OK)
            s->failure = *e;
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
    for (struct peer *p = s->peers; p != NULL; p = p->next)
        conn_pause(p->conn, false);
}

static void finished(void *self)
{
    struct server *s = self;
    s->stream_done = true;
    event_active(s->settle, 0, 0);
}

static const struct stream_calls stream_calls = { broken, room, finished };

int snapshot_open(struct server *s, struct err *e)
{
    s->last_snapshot = NO_PLACE;
    if (wants_stdout(s) && isatty(STDOUT_FILENO))
        return err_set(e, ERR_USAGE, "<stdout>: is a terminal, which cannot show a model; "
                                     "name a file (-o FILE) or a reader (| dsgd-eval)");
    if (wants_stdout(s) && (fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY)
        return err_set(e, ERR_SYSTEM, "<stdout>: is not open for writing");
    if (s->conf->output != NULL && out_open(&s->out, s->conf->output, e) < 0)
        return -1;
    if (!wants_stdout(s))
        return 0;
    s->stream = stream_open(s->base, STDOUT_FILENO, s->conf->lossless, &stream_calls, s, e);
    return s->stream == NULL ? -1 : 0;
}
