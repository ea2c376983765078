/* The stream of snapshots on stdout: a reader that is slow never slows the run. */
#include "run/server/stream.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { WRITES_A_TURN = 64, PIECE = PIPE_BUF, FILE_PIECE = 1 << 30 };

struct item {
    struct item *next;
    unsigned char *bytes;
    size_t n;
};

struct stream {
    int fd;
    bool socket, file, lossless, finishing, broken;
    struct event *writable, *done;
    struct item *first, **last;
    size_t sent; /* bytes of the first item that have gone out */
    uint64_t skipped;
    const struct stream_calls *calls;
    void *self;
};

static void drop_first(struct stream *s)
{
    struct item *i = s->first;
    s->first = i->next;
    if (s->first == NULL)
        s->last = &s->first;
    s->sent = 0;
    free(i->bytes);
    free(i);
}

static void drop_all(struct stream *s)
{
    while (s->first != NULL)
        drop_first(s);
}

static void finished(evutil_socket_t fd, short what, void *self)
{
    (void)fd, (void)what;
    struct stream *s = self;
    s->calls->finished(s->self);
}

static void break_off(struct stream *s, struct err *e)
{
    s->broken = true;
    event_del(s->writable);
    drop_all(s);
    s->calls->broken(s->self, e);
}

static void write_failed(struct stream *s)
{
    struct err e = { 0 };
    err_sys(&e, "<stdout>");
    if (errno == EPIPE)
        e.kind = ERR_NO;
    break_off(s, &e);
}

/* At most PIPE_BUF bytes into a pipe that poll called writable: that many it takes without
 * blocking, though O_NONBLOCK is not set. */
static ssize_t write_piece(const struct stream *s)
{
    const unsigned char *p = s->first->bytes + s->sent;
    size_t n = s->first->n - s->sent;
    if (s->socket)
        return send(s->fd, p, n, MSG_DONTWAIT | MSG_NOSIGNAL);
    size_t most = s->file ? FILE_PIECE : PIECE;
    return write(s->fd, p, n < most ? n : most);
}

static bool ready(const struct stream *s)
{
    struct pollfd p = { .fd = s->fd, .events = POLLOUT };
    return s->file || poll(&p, 1, 0) > 0;
}

/* 1: it took something; 0: nothing now; -1: broken, and told. */
static int write_some(struct stream *s)
{
    ssize_t n = write_piece(s);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return 0;
    if (n < 0) {
        write_failed(s);
        return -1;
    }
    s->sent += (size_t)n;
    if (s->sent == s->first->n)
        drop_first(s);
    return 1;
}

static void wait_for_reader(struct stream *s)
{
    static const struct timeval patience = { .tv_sec = STREAM_PATIENCE };
    event_add(s->writable, s->finishing ? &patience : NULL);
}

static void go_on(struct stream *s)
{
    bool full = stream_full(s);
    for (int i = 0; s->first != NULL && (s->file || i < WRITES_A_TURN) && ready(s); i++)
        if (write_some(s) < 0)
            break;
    if (s->first != NULL)
        wait_for_reader(s);
    else if (s->finishing)
        event_active(s->done, 0, 0);
    if (full && !stream_full(s))
        s->calls->room(s->self);
}

static void on_writable(evutil_socket_t fd, short what, void *self)
{
    (void)fd;
    struct stream *s = self;
    struct err e = { 0 };
    if (!(what & EV_TIMEOUT)) {
        go_on(s);
        return;
    }
    err_set(&e, ERR_SYSTEM, "<stdout>: nobody read for %d s", STREAM_PATIENCE);
    break_off(s, &e);
    event_active(s->done, 0, 0);
}

struct stream *stream_open(struct event_base *base, int fd, bool lossless,
                           const struct stream_calls *calls, void *self, struct err *e)
{
    struct stat st;
    if (fstat(fd, &st) < 0) {
        err_sys(e, "<stdout>");
        return NULL;
    }
    struct stream *s = mem_new(1, sizeof *s, e);
    if (s == NULL)
        return NULL;
    *s = (struct stream){ .fd = fd, .lossless = lossless, .calls = calls, .self = self };
    s->socket = S_ISSOCK(st.st_mode);
    s->file = !s->socket && !S_ISFIFO(st.st_mode);
    s->last = &s->first;
    s->writable = event_new(base, fd, EV_WRITE, on_writable, s);
    s->done = event_new(base, -1, 0, finished, s);
    if (s->writable != NULL && s->done != NULL)
        return s;
    err_memory(e);
    stream_close(s);
    return NULL;
}

void stream_close(struct stream *s)
{
    if (s == NULL)
        return;
    if (s->writable != NULL)
        event_free(s->writable);
    if (s->done != NULL)
        event_free(s->done);
    drop_all(s);
    free(s);
}

/* What waits behind the record that is going out gives way to the newest. */
static void skip_waiting(struct stream *s)
{
    while (s->first != NULL && s->first->next != NULL) {
        struct item *i = s->first->next;
        s->first->next = i->next;
        free(i->bytes);
        free(i);
        s->skipped++;
    }
    if (s->first != NULL)
        s->last = &s->first->next;
}

void stream_put(struct stream *s, void *bytes, size_t n)
{
    struct item *i = s->broken ? NULL : malloc(sizeof *i);
    if (i == NULL) {
        free(bytes);
        s->skipped += !s->broken;
        return;
    }
    if (!s->lossless)
        skip_waiting(s);
    *i = (struct item){ .bytes = bytes, .n = n };
    *s->last = i;
    s->last = &i->next;
    if (s->first == i)
        go_on(s);
}

bool stream_full(const struct stream *s)
{
    return s->lossless && s->first != NULL && s->first->next != NULL;
}

uint64_t stream_skipped(const struct stream *s)
{
    return s->skipped;
}

void stream_finish(struct stream *s)
{
    s->finishing = true;
    if (s->first == NULL)
        event_active(s->done, 0, 0);
    else
        wait_for_reader(s);
}
