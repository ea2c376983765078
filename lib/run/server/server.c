/* The parameter server: checks what it is told, opens its parts, runs its loop, closes all. */
#define _XOPEN_SOURCE 700 /* realpath, which the GNU C library does not take for POSIX */
#include "run/server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/progress.h"
#include "net/secret.h"
#include "run/account.h"
#include "run/outputs.h"
#include "run/server/control.h"
#include "run/server/journal.h"
#include "run/server/judge.h"
#include "run/server/metrics.h"
#include "run/server/resume.h"
#include "run/server/save.h"
#include "run/server/state.h"
#include "run/server/stream.h"

/* Each of the P is started here or can connect. */
static int check_workers(const struct server *s, struct err *e)
{
    if (s->conf->listen.n > 0 || s->spawn.n >= s->workers)
        return 0;
    return err_set(e, ERR_USAGE,
                   "%zu worker%s started (-x) of %ju (-P), and the rest cannot connect without -l",
                   s->spawn.n, s->spawn.n == 1 ? " is" : "s are", (uintmax_t)s->workers);
}

/* A socket must not take the number of a standard descriptor that was closed. What is opened in its
 * place cannot be written, as a closed one cannot. */
static int fill_standard(struct err *e)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd < 0)
        return err_sys(e, "/dev/null");
    close(fd);
    return 0;
}

/* Two that write into one file would leave neither. */
static int check_outputs(const struct server_conf *c, struct err *e)
{
    const struct train_conf *t = &c->train;
    const char *models = train_wants_snapshots(t)
                             ? "the snapshots on standard output (-S)"
                             : "the model on standard output (there is no -o)";
    struct output v[6];
    size_t n = 0;
    if (t->output != NULL)
        v[n++] = (struct output){ "the model (-o)", t->output, NO_FD };
    if (t->trace != NULL)
        v[n++] = (struct output){ "the trace (-t)", t->trace, NO_FD };
    if (c->checkpoint != NULL)
        v[n++] = (struct output){ "the checkpoint (-C)", c->checkpoint, NO_FD };
    if (c->address_file != NULL)
        v[n++] = (struct output){ "--address-file", c->address_file, NO_FD };
    if (c->ready_fd != NO_FD)
        v[n++] = (struct output){ "--ready-fd", NULL, c->ready_fd };
    if (train_wants_stdout(t))
        v[n++] = (struct output){ models, "-", NO_FD };
    return outputs_distinct(v, n, e);
}

static int make_places(struct server *s, struct err *e)
{
    s->places = mem_new(s->workers, sizeof *s->places, e);
    for (uint64_t r = 0; s->places != NULL && r < s->workers; r++)
        s->places[r].lost_at = NO_PLACE;
    return s->places == NULL ? -1 : 0;
}

/* In this order: what can be wrong on the command line, what others see, what others do. */
static int open_all(struct server *s, struct err *e)
{
    if (resume_open(s, e) < 0)
        return -1;
    s->workers = s->conf->workers;
    if (train_check(&s->conf->train, "dsgd-ps", e) < 0 ||
        spawn_plan(&s->spawn, &s->conf->commands, &s->workers, e) < 0 || check_workers(s, e) < 0 ||
        train_check_policy(&s->conf->train, s->workers, e) < 0 ||
        (s->resumed == NULL && model_load(&s->conf->train.model, e) < 0) ||
        check_outputs(s->conf, e) < 0 || make_places(s, e) < 0 ||
        save_open(s, e) < 0 || resume_places(s, e) < 0)
        return -1;
    s->base = event_base_new();
    if (s->base == NULL)
        return err_set(e, ERR_SYSTEM, "the event loop cannot be set up");
    if (journal_open(s, e) < 0 || snapshot_open(s, e) < 0 || save_listen(s, e) < 0 || life_open(s, e) < 0 ||
        metrics_open(s, e) < 0 || control_open(s, e) < 0 || listen_open(s, e) < 0)
        return -1;
    event_active(s->settle, 0, 0); /* nobody may be awaited */
    return judge_open(s, e) < 0 || children_start(s, e) < 0 ? -1 : 0;
}

static void free_run(struct server *s)
{
    for (uint64_t r = 0; s->places != NULL && r < s->workers; r++) {
        free(s->places[r].gradient);
        json_decref(s->places[r].shards);
    }
    json_decref(s->about);
    free(s->places);
    free(s->packed);
    stock_close(&s->stock);
    free(s->gaps);
    aggregate_close(s->aggregate);
    told_free(&s->told);
    adasync_close(&s->rule);
    shape_free(&s->shape);
}

static void close_all(struct server *s)
{
    listen_close(s);
    metrics_close(s);
    control_close(s);
    while (s->peers != NULL)
        peer_free(s->peers);
    spawn_free(&s->spawn);
    judge_close(s);
    save_close(s);
    free(s->listeners);
    journal_close(s);
    out_abort(&s->out);
    stream_close(s->model);
    stream_close(s->stream);
    life_close(s);
    guard_close(s->guard);
    if (s->base != NULL)
        event_base_free(s->base);
    free_run(s);
    resume_close(s);
}

void server_unwritten(struct server *s, const struct err *e)
{
    if (s->unwritten.kind == ERR_OK)
        s->unwritten = *e;
}

/* Of the passes of a lost worker: what nobody made in its place. */
static void print_unseen(const struct server *s, uint64_t rank)
{
    const struct place *place = &s->places[rank];
    uint64_t made = policy_account(aggregate_policy(s->aggregate), rank).started;
    if (s->conf->train.passes > 0 && s->signal == 0 && made < place->budget)
        log_note(s->log,
                 "worker %ju (%s): not all of its rows were seen in its passes: %ju of %ju "
                 "minibatches were made",
                 (uintmax_t)rank, place->label, (uintmax_t)made, (uintmax_t)place->budget);
}

/* Those that did not come back. */
static void print_absent(const struct server *s)
{
    for (uint64_t r = 0; s->aggregate != NULL && r < s->workers; r++) {
        const struct place *place = &s->places[r];
        if (place->lost_at == NO_PLACE)
            continue;
        log_note(s->log, "worker %ju (%s): nobody at its place from update %ju to the end",
                 (uintmax_t)r, place->label, (uintmax_t)place->lost_at);
        print_unseen(s, r);
    }
}

static void print_gaps(const struct server *s)
{
    for (size_t i = 0; i < s->n_gaps; i++) {
        const struct gap *g = &s->gaps[i];
        log_note(s->log, "worker %ju (%s): nobody at its place from update %ju to %ju",
                 (uintmax_t)g->rank, g->label, (uintmax_t)g->from, (uintmax_t)g->to);
    }
}

void server_summary(struct server *s)
{
    if (s->summed)
        return;
    s->summed = true;
    s->reader.patience = 1000 * STREAM_PATIENCE; /* nobody is held up any more */
    if (s->reader.lost > 0)
        log_note(s->log, "%lu lines are missing here: nobody read them", s->reader.lost);
    struct account_conf c = { s->log, s->workers, s->seconds };
    if (progress_wanted(s->log))
        progress_wipe();
    account_print(&c, s->aggregate);
    print_gaps(s);
    print_absent(s);
    if (s->strangers > 0)
        log_note(s->log, "%ju connection%s refused", (uintmax_t)s->strangers,
                 s->strangers == 1 ? " was" : "s were");
    uint64_t skipped = s->stream == NULL ? 0 : stream_skipped(s->stream);
    if (skipped > 0)
        log_note(s->log,
                 "%ju snapshots were skipped: their reader was slow (--lossless waits for it)",
                 (uintmax_t)skipped);
}

/* One that finds SIGPIPE ignored is told of the closed pipe in words, as by cat. */
static void tell_closed_pipe(struct server *s)
{
    s->signal = 0;
    errno = EPIPE;
    err_sys(&s->failure, "<stdout>");
}

int server_run(struct server_conf *conf, int *signal_out, struct err *e)
{
    struct server s = { .conf = conf, .log = &conf->log };
    struct sigaction ignore = { .sa_handler = SIG_IGN }, was, large;
    if (conf->make_key != NULL)
        return secret_make(conf->make_key, e);
    if (fill_standard(e) < 0)
        return -1;
    conf->log.reader = &s.reader;
    sigaction(SIGPIPE, &ignore, &was);
    sigaction(SIGXFSZ, &ignore, &large); /* a file that may not grow is an error of write */
    if (open_all(&s, &s.failure) == 0) {
        event_base_dispatch(s.base);
        server_summary(&s);
    }
    close_all(&s);
    conf->log.reader = NULL;
    if (s.failure.kind == ERR_OK)
        s.failure = s.unwritten;
    sigaction(SIGPIPE, &was, NULL);
    sigaction(SIGXFSZ, &large, NULL);
    if (s.signal == SIGPIPE && was.sa_handler == SIG_IGN)
        tell_closed_pipe(&s);
    *signal_out = s.signal;
    *e = s.failure;
    return e->kind == ERR_OK ? 0 : -1;
}
