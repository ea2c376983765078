/* A worker's side of a connection: frames with a time limit, one thread. */
#include "net/channel.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#ifndef PIPE_BUF
#define PIPE_BUF _POSIX_PIPE_BUF
#endif

static int look_at(int fd, bool *is_socket, struct err *e)
{
    struct stat st;
    if (fd >= FD_SETSIZE)
        errno = EMFILE;
    if (fd >= FD_SETSIZE || fstat(fd, &st) < 0)
        return err_sys(e, "connection");
    *is_socket = S_ISSOCK(st.st_mode);
    return 0;
}

int channel_take(struct channel *c, int in, int out, struct err *e)
{
    double now = clock_now();
    *c = (struct channel){ .in = in, .out = out, .heard = now, .told = now };
    c->limit = c->beat = INFINITY;
    if (look_at(in, &c->socket_in, e) == 0 && look_at(out, &c->socket_out, e) == 0)
        return 0;
    channel_close(c);
    return -1;
}

int channel_open(struct channel *c, const struct address *a, double seconds, struct err *e)
{
    int fd = address_dial(a, seconds, e);
    if (fd < 0)
        return -1;
    return channel_take(c, fd, a->kind == ADDRESS_STDIO ? STDOUT_FILENO : fd, e);
}

void channel_close(struct channel *c)
{
    if (c->in >= 0)
        close(c->in);
    if (c->out >= 0 && c->out != c->in)
        close(c->out);
    c->in = c->out = -1;
}

static int lost(struct channel *c, struct err *e)
{
    c->lost = true;
    if (errno == EPIPE || errno == ECONNRESET)
        return err_set(e, ERR_PEER, "connection closed");
    err_sys(e, "connection lost");
    e->kind = ERR_PEER;
    return -1;
}

static int silent(const struct channel *c, struct err *e)
{
    return err_set(e, ERR_PEER, "connection lost: nothing came for %g s", c->limit);
}

/* Waits until one of them is ready or `seconds` are over; whether one is. pselect, for its time is in
 * nanoseconds and it is there on every POSIX system. */
static bool any_ready(const struct watched *w, size_t n, double seconds)
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

static bool ready(int fd, bool to_write, double seconds)
{
    return any_ready(&(struct watched){ fd, to_write }, 1, seconds);
}

/* As read and writev, but EAGAIN when nothing can be read or taken now. The descriptors may be
 * shared with other programs (a filter in front or behind), so their flags are not ours to change:
 * sockets are asked call by call; of a pipe that is ready a read, or a write of at most PIPE_BUF,
 * does not block. */

static ssize_t read_now(const struct channel *c, void *data, size_t n)
{
    if (c->socket_in)
        return recv(c->in, data, n, MSG_DONTWAIT);
    if (ready(c->in, false, 0))
        return read(c->in, data, n);
    errno = EAGAIN;
    return -1;
}

static ssize_t write_now(const struct channel *c, struct iovec *v, int n)
{
    struct msghdr m = { .msg_iov = v, .msg_iovlen = (size_t)n };
    if (c->socket_out)
        return sendmsg(c->out, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (ready(c->out, true, 0))
        return write(c->out, v->iov_base, v->iov_len < PIPE_BUF ? v->iov_len : PIPE_BUF);
    errno = EAGAIN;
    return -1;
}

/* What is there, at most n bytes. 0: nothing now. -1: e. */
static ssize_t take(struct channel *c, void *data, size_t n, struct err *e)
{
    ssize_t got;
    do
        got = read_now(c, data, n);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        c->heard = clock_now();
        return got;
    }
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return 0;
    if (got == 0)
        errno = EPIPE;
    return lost(c, e);
}

static int beat_if_due(struct channel *c, double now, struct err *e)
{
    if (now - c->told < c->beat)
        return 0;
    struct frame f = { .type = FRAME_HEARTBEAT };
    return channel_send(c, &f, NULL, 0, NULL, 0, e);
}

/* Sleeps until something comes, at the longest until `end`, a heartbeat or the limit of silence. With `others`
 * also until one of them is ready. 1: look again. 0: end is past, or one of them is ready. */
static int await(struct channel *c, double end, bool others, struct err *e)
{
    struct watched all[WATCHED_MAX + 1] = { { c->in, false } };
    size_t n = others ? c->n_others : 0;
    double now = clock_now();
    if (now - c->heard >= c->limit)
        return silent(c, e);
    if (beat_if_due(c, now, e) < 0)
        return -1;
    if (now >= end)
        return 0;
    if (n > 0)
        memcpy(all + 1, c->others, n * sizeof *all);
    double left = fmin(end, fmin(c->heard + c->limit, c->told + c->beat)) - now;
    /* Systems round long waits up, Linux by a thousandth: the rest is slept by itself. */
    bool some = any_ready(all, n + 1, left > 0.05 ? left * 0.998 : fmax(left, 0));
    return !(some && n > 0 && any_ready(c->others, n, 0));
}

int channel_wait(struct channel *c, double seconds, struct frame *f, struct err *e)
{
    double end = seconds > 0 ? clock_now() + seconds : 0;
    for (;;) {
        ssize_t n = take(c, c->header + c->have, FRAME_HEADER - c->have, e);
        if (n < 0)
            return -1;
        c->have += (size_t)n;
        if (c->have == FRAME_HEADER) {
            c->have = 0;
            return frame_decode(f, c->header, e) < 0 ? -1 : 1;
        }
        int more = n > 0 ? 1 : await(c, end, true, e);
        if (more <= 0)
            return more;
    }
}

int channel_read(struct channel *c, void *data, size_t n, struct err *e)
{
    unsigned char *p = data;
    while (n > 0) {
        ssize_t got = take(c, p, n, e);
        if (got < 0)
            return -1;
        p += got;
        n -= (size_t)got;
        if (n > 0 && got == 0 && await(c, INFINITY, false, e) < 0)
            return -1;
    }
    return 0;
}

int channel_skip(struct channel *c, uint64_t n, struct err *e)
{
    char sink[4096];
    while (n > 0) {
        size_t now = n < sizeof sink ? (size_t)n : sizeof sink;
        if (channel_read(c, sink, now, e) < 0)
            return -1;
        n -= now;
    }
    return 0;
}

/* Drops the first `sent` bytes from the pieces; returns how many pieces are left at *v. */
static int advance(struct iovec **v, int n, size_t sent)
{
    while (n > 0 && sent >= (*v)->iov_len) {
        sent -= (*v)->iov_len;
        ++*v;
        n--;
    }
    if (n > 0) {
        (*v)->iov_base = (char *)(*v)->iov_base + sent;
        (*v)->iov_len -= sent;
    }
    return n;
}

static int give(struct channel *c, struct iovec *v, int n, struct err *e)
{
    double end = clock_now() + c->limit;
    while ((n = advance(&v, n, 0)) > 0) {
        ssize_t sent = write_now(c, v, n);
        if (sent >= 0) {
            n = advance(&v, n, (size_t)sent);
            end = clock_now() + c->limit;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            double now = clock_now();
            if (now >= end)
                return err_set(e, ERR_PEER, "connection lost: nothing was taken for %g s",
                               c->limit);
            ready(c->out, true, end - now);
        } else if (errno != EINTR) {
            return lost(c, e);
        }
    }
    return 0;
}

int channel_send(struct channel *c, struct frame *f, const void *head, size_t n_head,
                 const void *body, size_t n_body, struct err *e)
{
    unsigned char header[FRAME_HEADER];
    f->length = n_head + n_body;
    frame_encode(header, f);
    struct iovec v[3] = { { header, sizeof header },
                          { (void *)(uintptr_t)head, n_head },
                          { (void *)(uintptr_t)body, n_body } };
    if (give(c, v, 3, e) < 0)
        return -1;
    c->told = clock_now();
    return 0;
}
