/* A program of the user's on pipes, which does not outlive us, however we end. */
#include "run/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/shell.h"

enum { IN, OUT, ERR, LIFELINE, PIPES };
enum { READ, WRITE };

/* Pipes that no other program inherits, as few as select can watch. */
static int open_pipes(int fd[PIPES][2], struct err *e)
{
    for (int i = 0; i < PIPES; i++) {
        if (pipe(fd[i]) < 0)
            return err_sys(e, "a pipe");
        for (int end = READ; end <= WRITE; end++)
            fcntl(fd[i][end], F_SETFD, FD_CLOEXEC);
        if (fd[i][READ] >= FD_SETSIZE || fd[i][WRITE] >= FD_SETSIZE) {
            errno = EMFILE;
            return err_sys(e, "a pipe");
        }
    }
    return 0;
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Our end of a pipe: the other is the program's alone. */
static int keep(int fd[2], int end)
{
    int ours = fd[end];
    fd[end] = -1;
    fcntl(ours, F_SETFL, O_NONBLOCK);
    return ours;
}

static int start_both(struct program *p, int fd[PIPES][2], const char *command, const char *const *set,
                      struct err *e)
{
    static const char *const nothing[] = { NULL };
    char guard[80];
    if (shell_start(&p->pid, command, (const int[]){ fd[IN][READ], fd[OUT][WRITE], fd[ERR][WRITE] }, set, e) < 0)
        return -1;
    snprintf(guard, sizeof guard, "read -r line; kill -s KILL -- -%ld", (long)p->pid);
    return shell_start(&p->guard, guard, (const int[]){ fd[LIFELINE][READ], STDERR_FILENO, -1 }, nothing, e);
}

int program_start(struct program *p, const char *command, const char *const *set, struct err *e)
{
    int fd[PIPES][2] = { { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 } };
    char fate[64];
    *p = (struct program){ .in = -1, .out = -1, .err = -1, .lifeline = -1 };
    int rc = open_pipes(fd, e);
    if (rc == 0)
        rc = start_both(p, fd, command, set, e);
    if (rc == 0) {
        p->in = keep(fd[IN], WRITE);
        p->out = keep(fd[OUT], READ);
        p->err = keep(fd[ERR], READ);
        p->lifeline = keep(fd[LIFELINE], WRITE);
    }
    for (int i = 0; i < PIPES; i++) {
        close_one(&fd[i][READ]);
        close_one(&fd[i][WRITE]);
    }
    if (rc < 0)
        program_end(p, 0, fate, sizeof fate);
    return rc;
}

bool program_ended(const struct program *p)
{
    siginfo_t info = { 0 };
    return p->pid == 0 ||
           (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == p->pid);
}

void program_close_input(struct program *p)
{
    close_one(&p->in);
}

static int reap(pid_t *pid)
{
    int status = 0;
    while (*pid > 0 && waitpid(*pid, &status, 0) < 0 && errno == EINTR)
        ;
    *pid = 0;
    return status;
}

/* While the program is not reaped its number, and so its group's, is no other's: the guard goes first. */
const char *program_end(struct program *p, double patience, char *text, size_t room)
{
    double end = clock_now() + patience;
    while (!program_ended(p) && clock_now() < end)
        poll(NULL, 0, 5);
    if (p->pid > 0)
        kill(-p->pid, SIGKILL);
    if (p->guard > 0)
        kill(p->guard, SIGKILL);
    close_one(&p->lifeline);
    close_one(&p->in);
    reap(&p->guard);
    return shell_fate(reap(&p->pid), text, room);
}

void program_close(struct program *p)
{
    close_one(&p->out);
    close_one(&p->err);
}
