/* Output files: a regular file appears under its name only when it is whole. */
#include "base/out.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { LINKS_MAX = 40, NAME_KEPT = 200 /* bytes of the name in the temporary one */ };

/* A temporary file that is to go when a signal ends the program. */
struct pending {
    struct pending *next;
    const char *temp; /* owned by its struct out */
    pid_t owner;      /* a child that has not yet called exec takes nothing away */
};

/* A signal handler is given the number of its signal alone: what it takes away must be found here.
 * Changed only while those signals are blocked. */
static struct pending *volatile pending;

static const int fatal[] = { SIGHUP, SIGINT, SIGTERM, SIGPIPE };
enum { FATAL = sizeof fatal / sizeof *fatal };

/* The signal stays blocked until the return; by SA_RESETHAND it then ends the program. */
static void take_away(int number)
{
    for (const struct pending *p = pending; p != NULL; p = p->next)
        if (p->owner == getpid())
            unlink(p->temp);
    raise(number);
}

static void block(sigset_t *was)
{
    sigset_t all;
    sigemptyset(&all);
    for (size_t i = 0; i < FATAL; i++)
        sigaddset(&all, fatal[i]);
    sigprocmask(SIG_BLOCK, &all, was);
}

static void unblock(const sigset_t *was)
{
    sigprocmask(SIG_SETMASK, was, NULL);
}

static void instead_of_default(int number, void (*handler)(int))
{
    struct sigaction now, own = { .sa_handler = handler, .sa_flags = (int)SA_RESETHAND };
    sigfillset(&own.sa_mask);
    if (sigaction(number, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
        now.sa_handler == SIG_DFL)
        sigaction(number, &own, NULL);
}

/* What a program handles or ignores by itself stays so. A file too large is an error of write. */
static void watch_signals(void)
{
    for (size_t i = 0; i < FATAL; i++)
        instead_of_default(fatal[i], take_away);
    instead_of_default(SIGXFSZ, SIG_IGN);
}

static void no_longer_pending(const char *temp)
{
    sigset_t was;
    block(&was);
    struct pending *p = pending, *before = NULL;
    for (; p != NULL && p->temp != temp; p = p->next)
        before = p;
    if (p != NULL && before != NULL)
        before->next = p->next;
    else if (p != NULL)
        pending = p->next;
    unblock(&was);
    free(p);
}

/* mkstemp, and no moment in which the file is there but would be left by a signal. */
static int make_temporary(char *temp, const char *path, struct err *e)
{
    sigset_t was;
    struct pending *p = mem_new(1, sizeof *p, e);
    if (p == NULL)
        return -1;
    watch_signals();
    block(&was);
    int fd = mkstemp(temp);
    int why = errno;
    if (fd >= 0) {
        *p = (struct pending){ pending, temp, getpid() };
        pending = p;
    }
    unblock(&was);
    if (fd >= 0)
        return fd;
    free(p);
    errno = why;
    return err_sys(e, "%s", path);
}

static void forget(struct out *o)
{
    if (o->temp != NULL)
        no_longer_pending(o->temp);
    free(o->path);
    free(o->final);
    free(o->temp);
    memset(o, 0, sizeof *o);
}

void out_abort(struct out *o)
{
    if (o->path == NULL)
        return;
    if (o->fd > STDERR_FILENO)
        close(o->fd);
    if (o->temp != NULL)
        unlink(o->temp);
    forget(o);
}

/* Bytes of path up to and with its last slash. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (int)(slash - path) + 1;
}

/* What the link at path points to, as seen from here. */
static char *link_target(const char *path, struct err *e)
{
    char to[4096];
    ssize_t n = readlink(path, to, sizeof to - 1);
    if (n < 0) {
        err_sys(e, "%s", path);
        return NULL;
    }
    to[n] = '\0';
    return mem_print(e, "%.*s%s", to[0] == '/' ? 0 : folder_length(path), path, to);
}

/* Where a write to path ends up, whether the file exists or not. */
static char *follow(const char *path, struct err *e)
{
    struct stat s;
    char *at = mem_text(path, e);
    for (int i = 0; at != NULL && lstat(at, &s) == 0 && S_ISLNK(s.st_mode); i++) {
        char *next = NULL;
        if (i < LINKS_MAX)
            next = link_target(at, e);
        else
            err_set(e, ERR_SYSTEM, "%s: %s", path, strerror(ELOOP));
        free(at);
        at = next;
    }
    return at;
}

/* Opening it anew would start at its first byte again. */
int out_descriptor(const char *path)
{
    static const char *const names[] = { "/dev/stdin", "/dev/stdout", "/dev/stderr" };
    for (int i = STDOUT_FILENO; i <= STDERR_FILENO; i++)
        if (strcmp(path, names[i]) == 0)
            return i;
    const char *digits = path + strlen("/dev/fd/");
    if (strncmp(path, "/dev/fd/", strlen("/dev/fd/")) != 0 || *digits == '\0')
        return -1;
    int fd = 0;
    for (; *digits >= '0' && *digits <= '9' && fd < 1 << 20; digits++)
        fd = fd * 10 + *digits - '0';
    return *digits == '\0' ? fd : -1;
}

static int refuse_terminal(const struct out *o, struct err *e)
{
    if (!isatty(o->fd))
        return 0;
    return err_set(e, ERR_USAGE, "%s: is a terminal, which cannot show binary data", o->path);
}

/* Takes over fd, or fails with errno when it is -1. */
static int direct(struct out *o, int fd, struct err *e)
{
    o->fd = fd;
    if (fd < 0)
        return err_sys(e, "%s", o->path);
    return refuse_terminal(o, e);
}

static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* A file that is there keeps its mode, and must be one that could be written in place. */
static int create_beside(struct out *o, struct err *e)
{
    struct stat s;
    int there = stat(o->final, &s) == 0;
    if (there && access(o->final, W_OK) < 0)
        return err_sys(e, "%s", o->path);
    int folder = folder_length(o->final);
    o->temp = mem_print(e, "%.*s.%.*s.XXXXXX", folder, o->final, NAME_KEPT, o->final + folder);
    if (o->temp == NULL)
        return -1;
    o->fd = make_temporary(o->temp, o->path, e);
    if (o->fd < 0) {
        free(o->temp);
        o->temp = NULL;
        return -1;
    }
    fcntl(o->fd, F_SETFD, FD_CLOEXEC);
    flock(o->fd, LOCK_EX | LOCK_NB); /* for out_sweep */
    if (fchmod(o->fd, there ? s.st_mode & 07777 : usual_mode()) < 0)
        return err_sys(e, "%s", o->path);
    return 0;
}

static int open_named(struct out *o, struct err *e)
{
    int known = out_descriptor(o->path);
    if (known >= 0)
        return direct(o, fcntl(known, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), e);
    struct stat s;
    if (stat(o->path, &s) == 0 && !S_ISREG(s.st_mode))
        return direct(o, open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY), e);
    o->final = follow(o->path, e);
    return o->final == NULL ? -1 : create_beside(o, e);
}

int out_open(struct out *o, const char *path, struct err *e)
{
    memset(o, 0, sizeof *o);
    int standard = strcmp(path, "-") == 0;
    o->path = mem_text(standard ? "<stdout>" : path, e);
    if (o->path == NULL)
        return -1;
    o->fd = -1;
    if ((standard ? direct(o, STDOUT_FILENO, e) : open_named(o, e)) == 0)
        return 0;
    out_abort(o);
    return -1;
}

/* Whether a name is that of a temporary file: mkstemp's six characters behind it. */
static bool temporary(const char *name, const char *final)
{
    enum { SIX = 6 };
    size_t n = strnlen(final, NAME_KEPT);
    return name[0] == '.' && strncmp(name + 1, final, n) == 0 && name[n + 1] == '.' &&
           strlen(name + n + 2) == SIX;
}

static void remove_unlocked(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
    close(fd);
}

static void sweep(const char *final)
{
    struct err ignored = { 0 };
    char *path = mem_print(&ignored, "%.*s.", folder_length(final), final);
    DIR *folder = path == NULL ? NULL : opendir(path);
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (temporary(entry->d_name, final + folder_length(final)))
            remove_unlocked(dirfd(folder), entry->d_name);
    if (folder != NULL)
        closedir(folder);
    free(path);
}

void out_sweep(const char *path)
{
    struct err ignored = { 0 };
    char *final = follow(path, &ignored);
    if (final != NULL)
        sweep(final);
    free(final);
}

/* 1: try again. A pipe shared with others may have been made non-blocking by them. */
static int again(int fd)
{
    if (errno == EINTR)
        return 1;
    if (errno != EAGAIN && errno != EWOULDBLOCK)
        return 0;
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

int out_write(struct out *o, const void *data, size_t n, struct err *e)
{
    const char *at = data;
    while (n > 0) {
        ssize_t k = write(o->fd, at, n);
        if (k < 0 && !again(o->fd))
            return err_sys(e, "%s", o->path);
        if (k > 0) {
            at += k;
            n -= (size_t)k;
        }
    }
    return 0;
}

int out_finish(struct out *o, struct err *e)
{
    int fd = o->fd;
    if (fd < 0)
        return 0;
    if (o->temp != NULL && fsync(fd) < 0)
        return err_sys(e, "%s", o->path);
    o->fd = -1;
    if (fd > STDERR_FILENO && close(fd) < 0 && errno != EINTR)
        return err_sys(e, "%s", o->path);
    return 0;
}

/* The name is on disk once its folder is. Some file systems cannot sync a folder: then it is as
 * safe as they make it. */
static void sync_folder(const char *path)
{
    struct err ignored = { 0 };
    char *folder = mem_print(&ignored, "%.*s.", folder_length(path), path);
    int fd = folder == NULL ? -1 : open(folder, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

static int publish(struct out *o, struct err *e)
{
    if (o->temp != NULL) {
        if (rename(o->temp, o->final) < 0)
            return err_sys(e, "%s", o->path);
        sync_folder(o->final);
    }
    forget(o);
    return 0;
}

int out_commit_all(struct out *o, size_t n, struct err *e)
{
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++)
        status = out_finish(&o[i], e);
    for (size_t i = 0; i < n && status == 0; i++)
        status = publish(&o[i], e);
    for (size_t i = 0; i < n; i++)
        out_abort(&o[i]);
    return status;
}

int out_commit(struct out *o, struct err *e)
{
    return out_commit_all(o, 1, e);
}
