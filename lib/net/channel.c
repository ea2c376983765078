/* A worker's side of a connection: frames with a time limit, one thread. */
#include "net/channel.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"

static const double farewell = 1; /* seconds for the other side to end as well */
static const double patience = 0.2; /* seconds for which a read waits by itself */
static const double moment = 5e-5;  /* seconds in which looking again finds nothing new */

/* Nothing is waiting and nothing was read ahead. The buffer itself need not be cleared. */
static void start(struct channel *c)
{
    memset(c, 0, offsetof(struct channel, ahead));
    c->heard = c->told = clock_now();
    c->limit = c->beat = INFINITY;
}

int channel_take(struct channel *c, int in, int out, struct err *e)
{
    start(c);
    int rc = link_plain(&c->link, in, out);
    if (rc == 0 && (in >= FD_SETSIZE || out >= FD_SETSIZE)) {
        errno = EMFILE;
        rc = -1;
    }
    if (rc == 0)
        return 0;
    err_sys(e, "connection");
    channel_close(c);
    return -1;
}

/* Until the other side is known to be who it should be. ERR_SYSTEM: another attempt may fare
 * better. */
static int shake_hands(struct channel *c, double end, struct err *e)
{
    while (c->link.ops->write(&c->link, NULL, 0) < 0) {
        double left = end - clock_now();
        if (errno != EAGAIN && errno != EWOULDBLOCK) {
            c->lost = errno != EPROTO;
            link_failed(&c->link, e);
            e->kind = c->lost ? ERR_SYSTEM : ERR_PEER;
            return -1;
        }
        if (left <= 0)
            return err_set(e, ERR_SYSTEM, "the server said nothing");
        link_ready(c->link.in, c->link.ops->unsent(&c->link) > 0, left);
    }
    return 0;
}

/* A descriptor that others may have too stays as it is. */
static void wait_in_reads(struct channel *c, const struct address *a)
{
    struct timeval t = { .tv_usec = (suseconds_t)(patience * 1e6) };
    c->blocks = a->kind != ADDRESS_STDIO && c->link.socket_in &&
                setsockopt(c->link.in, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t) == 0;
}

int channel_open(struct channel *c, const struct address *a, struct guard *guard, double seconds,
                 struct err *e)
{
    double end = clock_now() + seconds;
    int fd = address_dial(a, seconds, e);
    if (fd < 0 || channel_take(c, fd, a->kind == ADDRESS_STDIO ? STDOUT_FILENO : fd, e) < 0)
        return -1;
    if (guard == NULL) {
        wait_in_reads(c, a);
        return 0;
    }
    if (guard_link(guard, &c->link, a->host, e) == 0 && shake_hands(c, end, e) == 0)
        return 0;
    channel_close(c);
    char text[sizeof a->host + 16];
    return err_ctx(e, "%s", address_text(a, text, sizeof text));
}

/* Who closes on what it has not read resets the connection, and its last words may be lost with it:
 * TLS has an end of its own that comes behind the other side's last frame. */
static void await_end(struct channel *c)
{
    double left, end = clock_now() + farewell;
    ssize_t n = 1;
    c->link.ops->finish(&c->link);
    while (n != 0 && (left = end - clock_now()) > 0) {
        char sink[4096];
        struct iovec v = { sink, sizeof sink };
        n = c->link.ops->read(&c->link, &v, 1);
        if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
            return;
        if (n < 0)
            link_ready(c->link.in, false, left);
    }
}

void channel_close(struct channel *c)
{
    if (c->link.ops == NULL)
        return; /* never opened */
    if (c->link.tls != NULL && c->link.ops->open(&c->link) && !c->lost)
        await_end(c);
    c->link.ops->close(&c->link);
}

/* Whoever broke the rules is there still; whoever closed, or whose network broke, may come back. */
static int lost(struct channel *c, struct err *e)
{
    c->lost = errno != EPROTO;
    if (errno == ECONNRESET)
        errno = EPIPE;
    return link_failed(&c->link, e);
}

/* The other side may be there still, but is of no use: cut off, or frozen. */
static int silent(struct channel *c, struct err *e)
{
    c->lost = true;
    return err_set(e, ERR_PEER, "connection lost: nothing came for %g s", c->limit);
}

/* What is there, at most n bytes. 0: nothing now. -1: e. */
static ssize_t take(struct channel *c, void *data, size_t n, struct err *e)
{
    struct iovec v = { data, n };
    ssize_t got = c->link.ops->read(&c->link, &v, 1);
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

/* Sleeps until something comes, at the longest until `end`, a heartbeat or the limit of silence.
 * With `others` also until one of them is ready. 1: look again. 0: end is past, or one of them is
 * ready. */
static int await(struct channel *c, double end, bool others, struct err *e)
{
    struct watched all[WATCHED_MAX + 1] = { { c->link.in, false } };
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
    bool some = link_any_ready(all, n + 1, left > 0.05 ? left * 0.998 : fmax(left, 0));
    return !(some && n > 0 && link_any_ready(c->others, n, 0));
}

/* Whether a read may wait by itself, which saves asking first. */
static bool may_block(const struct channel *c, double now, double end)
{
    double until = fmin(end, fmin(c->heard + c->limit, c->told + c->beat));
    return c->blocks && c->n_others == 0 && until - now > patience;
}

/* Reads ahead. Bytes, 0: nothing now, -1: e. */
static ssize_t fill(struct channel *c, double now, double end, struct err *e)
{
    memmove(c->ahead, c->ahead + c->at, c->end - c->at);
    c->end -= c->at;
    c->at = 0;
    c->looked = now;
    c->link.patient = may_block(c, now, end);
    ssize_t n = take(c, c->ahead + c->end, CHANNEL_AHEAD - c->end, e);
    c->link.patient = false;
    c->end += n > 0 ? (size_t)n : 0;
    return n;
}

int channel_wait(struct channel *c, double seconds, struct frame *f, struct err *e)
{
    double now = clock_now(), end = seconds > 0 ? now + seconds : 0;
    for (;; now = clock_now()) {
        if (c->end - c->at >= FRAME_HEADER) {
            c->at += FRAME_HEADER;
            return frame_decode(f, c->ahead + c->at - FRAME_HEADER, e) < 0 ? -1 : 1;
        }
        if (end == 0 && now - c->looked < moment)
            return 0;
        ssize_t n = fill(c, now, end, e);
        int more = n > 0 ? 1 : n < 0 ? -1 : await(c, end, true, e);
        if (more <= 0)
            return more;
    }
}

int channel_read(struct channel *c, void *data, size_t n, struct err *e)
{
    unsigned char *p = data;
    size_t here = c->end - c->at < n ? c->end - c->at : n;
    if (here > 0)
        memcpy(p, c->ahead + c->at, here);
    c->at += here;
    p += here;
    n -= here;
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
    while ((n = advance(&v, n, 0)) > 0 || c->link.ops->unsent(&c->link) > 0) {
        ssize_t sent = c->link.ops->write(&c->link, v, n);
        if (sent > 0) {
            n = advance(&v, n, (size_t)sent);
            end = clock_now() + c->limit;
        } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            double left = end - clock_now();
            c->lost = left <= 0;
            if (c->lost)
                return err_set(e, ERR_PEER, "connection lost: nothing was taken for %g s",
                               c->limit);
            link_ready(c->link.out, true, left);
        } else if (sent < 0) {
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
