/* The two ends of a connection here, and bytes that go through them as they are. */
#include "net/link.h"

#include <errno.h>
#include <limits.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef PIPE_BUF
#define PIPE_BUF _POSIX_PIPE_BUF
#endif

/* pselect, for its time is in nanoseconds and it is there on every POSIX system. */
bool link_any_ready(const struct watched *w, size_t n, double seconds)
{
    fd_set sets[2];
    int end = 0;
    FD_ZERO(&sets[0]);
    FD_ZERO(&sets[1]);
    for (size_t i = 0; i < n; i++) {
        FD_SET(w[i].fd, &sets[w[i].to_write]);
        end = w[i].fd < end ? end : w[i].fd + 1;
    }
    if (seconds > 1e6)
        seconds = 1e6; /* whoever waits looks again */
    struct timespec t = { .tv_sec = (time_t)seconds };
    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    return pselect(end, &sets[0], &sets[1], NULL, &t, NULL) > 0;
}

bool link_ready(int fd, bool to_write, double seconds)
{
    return link_any_ready(&(struct watched){ fd, to_write }, 1, seconds);
}

/* Sockets are asked call by call; of a pipe that is ready a read, or a write of at most PIPE_BUF,
 * does not block. */

static ssize_t read_once(const struct link *l, struct iovec *v, int n)
{
    struct msghdr m = { .msg_iov = v, .msg_iovlen = (size_t)n };
    if (l->socket_in)
        return recvmsg(l->in, &m, l->patient ? 0 : MSG_DONTWAIT);
    if (link_ready(l->in, false, 0))
        return readv(l->in, v, n);
    errno = EAGAIN;
    return -1;
}

static ssize_t read_plain(struct link *l, struct iovec *v, int n)
{
    size_t want = 0;
    ssize_t got;
    for (int i = 0; i < n; i++)
        want += v[i].iov_len;
    do
        got = read_once(l, v, n);
    while (got < 0 && errno == EINTR);
    l->more = got > 0 && (size_t)got == want;
    return got;
}

static ssize_t write_once(const struct link *l, struct iovec *v, int n)
{
    struct msghdr m = { .msg_iov = v, .msg_iovlen = (size_t)n };
    if (l->socket_out)
        return sendmsg(l->out, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (link_ready(l->out, true, 0))
        return write(l->out, v->iov_base, v->iov_len < PIPE_BUF ? v->iov_len : PIPE_BUF);
    errno = EAGAIN;
    return -1;
}

static ssize_t write_plain(struct link *l, struct iovec *v, int n)
{
    ssize_t sent;
    do
        sent = write_once(l, v, n);
    while (sent < 0 && errno == EINTR);
    return sent;
}

static size_t unsent_plain(const struct link *l)
{
    (void)l;
    return 0;
}

static bool open_plain(const struct link *l)
{
    (void)l;
    return true;
}

static void finish_plain(struct link *l)
{
    shutdown(l->out, SHUT_WR);
}

static void close_plain(struct link *l)
{
    if (l->in >= 0)
        close(l->in);
    if (l->out >= 0 && l->out != l->in)
        close(l->out);
    l->in = l->out = -1;
}

static const char *why_plain(const struct link *l)
{
    (void)l;
    return NULL;
}

static const struct link_ops plain = { read_plain,   write_plain, unsent_plain, open_plain,
                                       finish_plain, close_plain, why_plain };

static int look_at(int fd, bool *is_socket)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return -1;
    *is_socket = S_ISSOCK(st.st_mode);
    return 0;
}

int link_plain(struct link *l, int in, int out)
{
    *l = (struct link){ .ops = &plain, .in = in, .out = out };
    if (look_at(in, &l->socket_in) < 0)
        return -1;
    l->socket_out = l->socket_in;
    return in == out ? 0 : look_at(out, &l->socket_out);
}

int link_failed(const struct link *l, struct err *e)
{
    const char *why = l->ops->why(l);
    if (why != NULL)
        return err_set(e, ERR_PEER, "%s", why);
    if (errno == EPIPE)
        return err_set(e, ERR_PEER, "connection closed");
    err_sys(e, "connection lost");
    e->kind = ERR_PEER;
    return -1;
}
