/* The parameter server: checks what it is told, opens its parts, runs its loop, closes all. */
#include "run/server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "run/loss.h"
#include "run/server_state.h"

static int check_conf(const struct server_conf *c, struct err *e)
{
    if (c->model.plug == NULL)
        return err_set(e, ERR_USAGE, "-m is missing: the model, or 'help' (see dsgd-ps --help)");
    if (c->updates == 0 && c->seconds == 0 && c->passes == 0)
        return err_set(e, ERR_USAGE,
                       "an end is missing: updates (-J), a time (-T) or passes (-E) (see dsgd-ps "
                       "--help)");
    return 0;
}

static int check_policy(struct server *s, struct err *e)
{
    struct policy_run run = { .workers = s->workers };
    struct policy *p = policy_open(&s->conf->policy, &run, e);
    policy_close(p);
    return p == NULL ? err_ctx(e, "policy '%s'", s->conf->policy.text) : 0;
}

/* Each of the P is started here or can connect. */
static int check_workers(const struct server *s, struct err *e)
{
    if (s->conf->listen.n > 0 || s->spawn.n >= s->workers)
        return 0;
    return err_set(e, ERR_USAGE,
                   "%zu workers are started (-x) of %ju (-P), and the rest cannot connect without "
                   "-l",
                   s->spawn.n, (uintmax_t)s->workers);
}

/* A trace that cannot be written is better known before the workers have read their data. */
static int check_trace(const char *path, struct err *e)
{
    if (path == NULL || strcmp(path, "-") == 0)
        return 0;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0666);
    if (fd < 0 && errno != ENXIO) /* a FIFO whose reader is still to come */
        return err_sys(e, "%s", path);
    if (fd >= 0)
        close(fd);
    return 0;
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
    s->workers = s->conf->workers;
    if (check_conf(s->conf, e) < 0 ||
        spawn_plan(&s->spawn, &s->conf->commands, &s->workers, e) < 0 || check_workers(s, e) < 0 ||
        check_policy(s, e) < 0 || check_trace(s->conf->trace, e) < 0 || make_places(s, e) < 0)
        return -1;
    s->base = event_base_new();
    if (s->base == NULL)
        return err_set(e, ERR_SYSTEM, "the event loop cannot be set up");
    if (snapshot_open(s, e) < 0 || life_open(s, e) < 0 || listen_open(s, e) < 0)
        return -1;
    return children_start(s, e);
}

static void free_run(struct server *s)
{
    for (uint64_t r = 0; s->places != NULL && r < s->workers; r++)
        free(s->places[r].gradient);
    free(s->places);
    free(s->gaps);
    aggregate_close(s->aggregate);
    classes_free(&s->classes);
    json_decref(s->data);
}

static void close_all(struct server *s)
{
    struct err e = { 0 };
    listen_close(s);
    while (s->peers != NULL)
        peer_free(s->peers);
    spawn_free(&s->spawn);
    free(s->listeners);
    if (trace_close(&s->trace, &e) < 0 && s->failure.kind == ERR_OK)
        s->failure = e;
    out_abort(&s->out);
    stream_close(s->stream);
    life_close(s);
    if (s->base != NULL)
        event_base_free(s->base);
    free_run(s);
}

/* One that finds SIGPIPE ignored is told of the closed pipe in words, as by cat. */
static void tell_closed_pipe(struct server *s)
{
    s->signal = 0;
    errno = EPIPE;
    err_sys(&s->failure, "<stdout>");
}

int server_run(const struct server_conf *conf, int *signal_out, struct err *e)
{
    struct server s = { .conf = conf, .log = &conf->log };
    struct sigaction ignore = { .sa_handler = SIG_IGN }, was;
    if (fill_standard(e) < 0)
        return -1;
    sigaction(SIGPIPE, &ignore, &was);
    if (open_all(&s, &s.failure) == 0) {
        event_base_dispatch(s.base);
        account_print(&s);
    }
    close_all(&s);
    sigaction(SIGPIPE, &was, NULL);
    if (s.signal == SIGPIPE && was.sa_handler == SIG_IGN)
        tell_closed_pipe(&s);
    *signal_out = s.signal;
    *e = s.failure;
    return e->kind == ERR_OK ? 0 : -1;
}
