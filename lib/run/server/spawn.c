/* The workers that a server starts itself: -x commands, a socket pair as their stdin and stdout. */
#include "run/server/spawn.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "run/shell.h"

/* What a letter behind % stands for, or -1. */
static int directive(char letter, uint64_t rank, uint64_t workers, char text[static 24])
{
    switch (letter) {
    case 'r':
        return snprintf(text, 24, "%" PRIu64, rank);
    case 'P':
        return snprintf(text, 24, "%" PRIu64, workers);
    case '%':
        return snprintf(text, 24, "%%");
    default:
        return -1;
    }
}

/* Bytes of the command with its directives replaced, written to `out` unless that is NULL; -1: one
 * is unknown, and *at is where. */
static long expand(const char *command, uint64_t rank, uint64_t workers, char *out, const char **at)
{
    long n = 0;
    for (const char *s = command; *s; s++) {
        char text[24] = { *s };
        int len = *s == '%' ? directive(*++s, rank, workers, text) : 1;
        if (len < 0) {
            *at = s - 1;
            return -1;
        }
        if (out != NULL)
            memcpy(out + n, text, (size_t)len);
        n += len;
    }
    return n;
}

static int plan_one(struct child *c, const char *command, uint64_t rank, uint64_t workers,
                    struct err *e)
{
    const char *at;
    long n = expand(command, rank, workers, NULL, &at);
    if (n < 0)
        return err_set(e, ERR_USAGE, "-x '%s': '%.2s' is not known; allowed are %%r, %%P and %%%%",
                       command, at);
    c->rank = rank;
    c->command = mem_new((size_t)n + 1, 1, e);
    if (c->command == NULL)
        return -1;
    expand(command, rank, workers, c->command, &at);
    return 0;
}

static bool names_rank(const char *command)
{
    for (const char *s = strchr(command, '%'); s != NULL && s[1] != '\0'; s = strchr(s + 2, '%'))
        if (s[1] == 'r')
            return true;
    return false;
}

int spawn_plan(struct spawn *s, const struct text_list *commands, uint64_t *workers, struct err *e)
{
    if (*workers == 0)
        *workers = commands->n;
    if (*workers == 0)
        return err_set(e, ERR_USAGE, "-P is missing: how many workers take part");
    bool all = commands->n == 1 && names_rank(commands->v[0]);
    size_t n = all ? *workers : commands->n;
    if (n > *workers)
        return err_set(e, ERR_USAGE, "%zu commands (-x) for %" PRIu64 " worker%s (-P)", n, *workers,
                       *workers == 1 ? "" : "s");
    s->v = mem_new(n, sizeof *s->v, e);
    if (s->v == NULL)
        return -1;
    for (s->n = 0; s->n < n; s->n++)
        if (plan_one(&s->v[s->n], commands->v[all ? 0 : s->n], s->n, *workers, e) < 0)
            return -1;
    return 0;
}

int spawn_one(struct spawn *s, const char *command, struct err *e)
{
    s->v = mem_new(1, sizeof *s->v, e);
    if (s->v == NULL)
        return -1;
    s->n = 1;
    s->v[0].command = mem_text(command, e);
    return s->v[0].command == NULL ? -1 : 0;
}

int spawn_start(struct child *c, int *fd, struct err *e)
{
    int pair[2];
    char rank[32];
    const char *const set[] = { "DSGD_PS=stdio", rank, NULL };
    snprintf(rank, sizeof rank, "DSGD_RANK=%" PRIu64, c->rank);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        return err_sys(e, "a socket for '%s'", c->command);
    fcntl(pair[0], F_SETFD, FD_CLOEXEC);
    fcntl(pair[1], F_SETFD, FD_CLOEXEC);
    int rc = shell_start(&c->pid, c->command, (const int[]){ pair[1], pair[1], -1 }, set, e);
    close(pair[1]);
    if (rc < 0)
        close(pair[0]);
    else
        *fd = pair[0];
    return rc;
}

/* While it is not reaped its number, and so its group's, cannot be another's. */
static bool reap_one(struct child *c)
{
    siginfo_t info = { 0 };
    if (c->pid == 0 || waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
        info.si_pid != c->pid)
        return false;
    kill(-c->pid, SIGTERM);
    waitpid(c->pid, &c->status, 0);
    c->pid = 0;
    c->ended = true;
    return true;
}

struct child *spawn_reap(struct spawn *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (reap_one(&s->v[i]))
            return &s->v[i];
    return NULL;
}

size_t spawn_alive(const struct spawn *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        n += s->v[i].pid != 0;
    return n;
}

void spawn_signal(struct spawn *s, int signal)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].pid != 0) {
            s->v[i].told_to_end = true;
            kill(-s->v[i].pid, signal);
        }
}

bool spawn_failed(const struct child *c)
{
    return c->ended && !c->told_to_end && !(WIFEXITED(c->status) && WEXITSTATUS(c->status) == 0);
}

const char *spawn_fate(const struct child *c, char *text, size_t room)
{
    return shell_fate(c->status, text, room);
}

void spawn_free(struct spawn *s)
{
    spawn_signal(s, SIGKILL);
    for (size_t i = 0; i < s->n; i++) {
        if (s->v[i].pid != 0)
            waitpid(s->v[i].pid, &s->v[i].status, 0);
        free(s->v[i].command);
    }
    free(s->v);
    *s = (struct spawn){ 0 };
}
