/* A command of the user's, by /bin/sh -c, in a process group of its own. */
#include "run/shell.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

extern char **environ;

/* Whether one of the texts NAME=VALUE has the name of this one. */
static bool names(const char *const *set, const char *text)
{
    size_t n = strcspn(text, "=") + 1;
    while (*set != NULL && strncmp(*set, text, n) != 0)
        set++;
    return *set != NULL;
}

/* Ours with those set; the array is to be freed, its texts are not. */
static char **environment(const char *const *set, struct err *e)
{
    size_t n = 0, more = 0, kept = 0;
    while (environ[n] != NULL)
        n++;
    while (set[more] != NULL)
        more++;
    char **env = mem_new(n + more + 1, sizeof *env, e);
    if (env == NULL)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (!names(set, environ[i]))
            env[kept++] = environ[i];
    memcpy(env + kept, set, more * sizeof *env);
    return env;
}

static int attributes(posix_spawnattr_t *attr)
{
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGTERM);
    sigaddset(&usual, SIGCHLD);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_setsigmask(attr, &none);
    posix_spawnattr_setsigdefault(attr, &usual);
    posix_spawnattr_setpgroup(attr, 0);
    return posix_spawnattr_setflags(
        attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

static int spawn(pid_t *pid, const char *command, const int fd[3], char **env)
{
    char *argv[] = { "/bin/sh", "-c", (char *)(uintptr_t)command, NULL };
    posix_spawnattr_t attr;
    posix_spawn_file_actions_t actions;
    int rc = posix_spawnattr_init(&attr);
    if (rc != 0)
        return rc;
    rc = posix_spawn_file_actions_init(&actions);
    if (rc == 0)
        rc = attributes(&attr);
    for (int i = 0; i < 3 && rc == 0; i++)
        if (fd[i] >= 0)
            rc = posix_spawn_file_actions_adddup2(&actions, fd[i], i);
    if (rc == 0)
        rc = posix_spawn(pid, argv[0], &actions, &attr, argv, env);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attr);
    return rc;
}

int shell_start(pid_t *pid, const char *command, const int fd[3], const char *const *set, struct err *e)
{
    char **env = environment(set, e);
    if (env == NULL)
        return -1;
    int rc = spawn(pid, command, fd, env);
    free(env);
    if (rc == 0)
        return 0;
    *pid = 0;
    errno = rc;
    return err_sys(e, "starting '%s'", command);
}

const char *shell_fate(int status, char *text, size_t room)
{
    if (WIFSIGNALED(status))
        snprintf(text, room, "was ended by signal %d", WTERMSIG(status));
    else
        snprintf(text, room, "ended with status %d", WEXITSTATUS(status));
    return text;
}
