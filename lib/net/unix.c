/* unix:PATH: a socket file, for programs on one machine and of one user. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "net/transport.h"

enum { PATH_LIMIT = sizeof((struct sockaddr_un *)0)->sun_path - 1, SOCKET_BUFFER = 1 << 20 };

static int parse(struct address *a, const char *rest, struct err *e)
{
    size_t n = strlen(rest);
    if (n == 0)
        return err_set(e, ERR_USAGE, "no path: write unix:PATH");
    if (n > PATH_LIMIT)
        return err_set(e, ERR_USAGE, "a path of %zu bytes: sockets of this system allow %d", n,
                       (int)PATH_LIMIT);
    memcpy(a->path, rest, n + 1);
    return 0;
}

static void print(const struct address *a, bool full, char *text, size_t room)
{
    (void)full;
    snprintf(text, room, "unix:%s", a->path);
}

static struct sockaddr_un name_of(const struct address *a)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    memcpy(to.sun_path, a->path, strlen(a->path) + 1);
    return to;
}

static int dial(const struct address *a, double seconds, struct err *e)
{
    struct sockaddr_un to = name_of(a);
    int room = SOCKET_BUFFER;
    int fd = transport_socket(AF_UNIX, e);
    if (fd < 0)
        return -1;
    /* Best effort: a frame that fits leaves in one call. */
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    if (transport_connect(fd, (struct sockaddr *)&to, sizeof to, seconds, e) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Removes a socket file on which nobody answers; refuses everything else that stands there. */
static int make_way(const struct address *a, struct err *e)
{
    struct stat st;
    if (lstat(a->path, &st) < 0)
        return errno == ENOENT ? 0 : err_sys(e, "cannot listen");
    if (!S_ISSOCK(st.st_mode))
        return err_set(e, ERR_SYSTEM, "there is a file of that name, and it is no socket");
    int fd = transport_socket(AF_UNIX, e);
    if (fd < 0)
        return -1;
    struct sockaddr_un to = name_of(a);
    int refused = connect(fd, (struct sockaddr *)&to, sizeof to) < 0 && errno == ECONNREFUSED;
    close(fd);
    if (!refused)
        return err_set(e, ERR_SYSTEM, "in use by a running program");
    if (unlink(a->path) < 0 && errno != ENOENT)
        return err_sys(e, "cannot replace the socket file of a program that ended");
    return 0;
}

static void remember(struct address *a)
{
    struct stat st = { 0 };
    lstat(a->path, &st);
    a->file.device = st.st_dev;
    a->file.number = st.st_ino;
}

static int listen_at(struct address *a, bool insecure, struct err *e)
{
    (void)insecure;
    if (make_way(a, e) < 0)
        return -1;
    int fd = transport_socket(AF_UNIX, e);
    if (fd < 0)
        return -1;
    struct sockaddr_un at = name_of(a);
    mode_t was = umask(0177); /* 0600 from the first moment */
    int bound = bind(fd, (struct sockaddr *)&at, sizeof at);
    umask(was);
    if (bound == 0 && listen(fd, SOMAXCONN) == 0) {
        remember(a);
        return fd;
    }
    err_sys(e, "cannot listen");
    close(fd);
    return -1;
}

/* Whoever can write to the folder can put a socket of his own in the place of a server that ended,
 * and where names are not kept to their owners, of one that runs. A group of one's own is oneself. */
static const char *doubt(const struct address *a)
{
    char folder[sizeof a->path];
    struct stat st;
    snprintf(folder, sizeof folder, "%s", a->path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        snprintf(folder, sizeof folder, ".");
    else
        slash[slash == folder] = '\0';
    bool others = stat(folder, &st) == 0 &&
                  (st.st_mode & S_IWOTH || (st.st_mode & S_IWGRP && st.st_gid != getegid()) ||
                   (st.st_uid != geteuid() && st.st_uid != 0));
    return others ? "others can write to its folder, and could put a socket of theirs in its place: "
                    "choose a folder of your own"
                  : NULL;
}

/* Another program's that stands there by now stays. */
static void unlisten(const struct address *a)
{
    struct stat st;
    if (lstat(a->path, &st) == 0 && st.st_dev == a->file.device && st.st_ino == a->file.number)
        unlink(a->path);
}

const struct transport transport_unix = {
    .plug = { .name = "unix", .help = "unix:PATH, a socket file of mode 0600" },
    .parse = parse,
    .print = print,
    .listen = listen_at,
    .dial = dial,
    .unlisten = unlisten,
    .doubt = doubt,
};
