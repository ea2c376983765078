/* What goes out through the event loop, to readers that may be slow, stopped, gone, or still to come. */
#include "run/server/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out.h"

enum { WRITES_A_TURN = 64, PIECE = PIPE_BUF, OWN_PIECE = 1 << 30, MILLION = 1000000 };

static const struct timeval look_again = { .tv_usec = 100000 }; /* for a reader of the FIFO */
static const struct timeval try_again = { .tv_sec = 1 };        /* whether the disk has room */

struct item {
    struct item *next;
    unsigned char *bytes;
    size_t n;
};

struct stream {
    struct stream_to to;
    struct event_base *base;
    bool socket, file, finishing, broken, stuck, over;
    struct event *writable, *again, *limit, *done;
    struct item *first, **last;
    size_t sent;    /* bytes of the first item that have gone out */
    size_t waiting; /* bytes of all that have not */
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
    s->waiting -= i->n - s->sent;
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
    s->over = true;
    s->calls->finished(s->self);
}

void stream_break(struct stream *s, struct err *e)
{
    if (s->broken)
        return;
    s->broken = true;
    if (s->writable != NULL)
        event_del(s->writable);
    event_del(s->again);
    drop_all(s);
    s->calls->broken(s->self, e);
    if (s->finishing)
        event_active(s->done, 0, 0);
}

static bool disk_full(void)
{
    return errno == ENOSPC || errno == EDQUOT;
}

static void write_failed(struct stream *s)
{
    struct err e = { 0 };
    bool was_stuck = s->stuck;
    err_sys(&e, "%s", s->to.name);
    s->stuck = disk_full() && s->calls->stuck != NULL && !s->finishing;
    if (errno == EPIPE)
        e.kind = ERR_NO;
    if (!s->stuck)
        stream_break(s, &e);
    else if (!was_stuck)
        s->calls->stuck(s->self, &e);
}

/* At most PIPE_BUF bytes into a shared pipe that poll called writable: that many it takes without
 * blocking, though O_NONBLOCK is not set. */
static ssize_t write_piece(const struct stream *s)
{
    const unsigned char *p = s->first->bytes + s->sent;
    size_t n = s->first->n - s->sent, most = s->file || s->to.own ? OWN_PIECE : PIECE;
    ssize_t done;
    do
        done = s->socket ? send(s->to.fd, p, n, MSG_DONTWAIT | MSG_NOSIGNAL)
                         : write(s->to.fd, p, n < most ? n : most);
    while (done < 0 && errno == EINTR);
    return done;
}

static bool ready(const struct stream *s)
{
    struct pollfd p = { .fd = s->to.fd, .events = POLLOUT };
    return s->to.fd >= 0 && (s->file || poll(&p, 1, 0) > 0);
}

/* Whether it took something. */
static bool write_some(struct stream *s)
{
    ssize_t n = write_piece(s);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return false;
    if (n < 0) {
        write_failed(s);
        return false;
    }
    s->stuck = false;
    if (s->calls->wrote != NULL)
        s->calls->wrote(s->self, s->first->bytes + s->sent, (size_t)n);
    s->sent += (size_t)n;
    s->waiting -= (size_t)n;
    if (s->sent == s->first->n)
        drop_first(s);
    return true;
}

static void wait_for_reader(struct stream *s)
{
    double whole = s->to.patience;
    struct timeval t = { .tv_sec = (time_t)whole };
    t.tv_usec = (suseconds_t)((whole - (double)t.tv_sec) * MILLION);
    if (s->finishing)
        event_add(s->limit, &t);
    if (s->to.fd < 0)
        event_add(s->again, &look_again);
    else if (s->file)
        event_add(s->again, &try_again);
    else
        event_add(s->writable, NULL);
}

static void go_on(struct stream *s)
{
    bool full = stream_full(s);
    for (int i = 0; s->first != NULL && (s->file || i < WRITES_A_TURN) && ready(s); i++)
        if (!write_some(s))
            break;
    if (s->first != NULL)
        wait_for_reader(s);
    else if (s->finishing && !s->broken)
        event_active(s->done, 0, 0);
    if (full && !stream_full(s) && s->calls->room != NULL)
        s->calls->room(s->self);
}

static void on_writable(evutil_socket_t fd, short what, void *self)
{
    (void)fd, (void)what;
    go_on(self);
}

static void on_limit(evutil_socket_t fd, short what, void *self)
{
    (void)fd, (void)what;
    struct stream *s = self;
    struct err e = { 0 };
    if (s->first == NULL)
        return;
    err_set(&e, ERR_SYSTEM, "%s: nobody read for %g s", s->to.name, s->to.patience);
    stream_break(s, &e);
}

static int attach(struct stream *s, struct err *e)
{
    struct stat st;
    if (fstat(s->to.fd, &st) < 0)
        return err_sys(e, "%s", s->to.name);
    s->socket = S_ISSOCK(st.st_mode);
    s->file = !s->socket && !S_ISFIFO(st.st_mode) && !isatty(s->to.fd);
    s->writable = event_new(s->base, s->to.fd, EV_WRITE, on_writable, s);
    return s->writable == NULL ? err_memory(e) : 0;
}

static int open_to_write(const char *path)
{
    return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* A FIFO that nobody reads cannot be opened to be written: ENXIO. */
static void on_again(evutil_socket_t fd, short what, void *self)
{
    (void)fd, (void)what;
    struct stream *s = self;
    struct err e = { 0 };
    bool unread = s->to.fd < 0;
    if (unread)
        s->to.fd = open_to_write(s->to.name);
    if (s->to.fd < 0 && errno != ENXIO)
        err_sys(&e, "%s", s->to.name);
    else if (unread && s->to.fd >= 0)
        attach(s, &e);
    if (e.kind != ERR_OK)
        stream_break(s, &e);
    else if (s->to.fd < 0)
        event_add(s->again, &look_again);
    else
        go_on(s);
}

/* Its own description can be told not to block. */
static int reopen(const char *path, struct stream_to *to, struct err *e)
{
    to->own = true;
    to->fd = open_to_write(path);
    return to->fd < 0 && errno != ENXIO ? err_sys(e, "%s", to->name) : 1;
}

int stream_find(const char *path, struct stream_to *to, struct err *e)
{
    struct stat st;
    char tty[PATH_MAX];
    bool standard = strcmp(path, "-") == 0;
    *to = (struct stream_to){ .name = standard ? "<stdout>" : path, .fd = -1, .lossless = true,
                              .patience = STREAM_PATIENCE };
    if ((standard ? fstat(STDOUT_FILENO, &st) : stat(path, &st)) < 0)
        return 0;
    bool terminal = standard && isatty(STDOUT_FILENO) && ttyname_r(STDOUT_FILENO, tty, sizeof tty) == 0;
    if (terminal || (!standard && S_ISFIFO(st.st_mode)))
        return reopen(terminal ? tty : path, to, e);
    if (standard || S_ISSOCK(st.st_mode))
        to->fd = standard ? STDOUT_FILENO : out_descriptor(path);
    return to->fd >= 0;
}

struct stream *stream_open(struct event_base *base, const struct stream_to *to,
                           const struct stream_calls *calls, void *self, struct err *e)
{
    struct stream *s = mem_new(1, sizeof *s, e);
    if (s == NULL)
        return NULL;
    *s = (struct stream){ .to = *to, .base = base, .calls = calls, .self = self };
    s->last = &s->first;
    s->again = event_new(base, -1, 0, on_again, s);
    s->limit = event_new(base, -1, 0, on_limit, s);
    s->done = event_new(base, -1, 0, finished, s);
    if (s->again == NULL || s->limit == NULL || s->done == NULL) {
        err_memory(e);
    } else if (to->fd < 0) {
        event_add(s->again, &look_again);
        return s;
    } else if (attach(s, e) == 0) {
        return s;
    }
    stream_close(s);
    return NULL;
}

void stream_close(struct stream *s)
{
    if (s == NULL)
        return;
    struct event *all[] = { s->writable, s->again, s->limit, s->done };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] != NULL)
            event_free(all[i]);
    drop_all(s);
    if (s->to.own && s->to.fd >= 0)
        close(s->to.fd);
    free(s);
}

/* What waits behind the record that is going out gives way to the newest. */
void stream_make_way(struct stream *s)
{
    if (s->to.lossless || s->first == NULL)
        return;
    while (s->first->next != NULL) {
        struct item *i = s->first->next;
        s->first->next = i->next;
        s->waiting -= i->n;
        free(i->bytes);
        free(i);
        s->skipped++;
    }
    s->last = &s->first->next;
}

static void no_room(struct stream *s)
{
    struct err e = { 0 };
    if (s->broken)
        return;
    s->skipped++;
    if (s->to.lossless) {
        err_memory(&e);
        stream_break(s, &e);
    }
}

void stream_put(struct stream *s, void *bytes, size_t n)
{
    struct item *i = s->broken ? NULL : malloc(sizeof *i);
    if (i == NULL) {
        free(bytes);
        no_room(s);
        return;
    }
    stream_make_way(s);
    *i = (struct item){ .bytes = bytes, .n = n };
    *s->last = i;
    s->last = &i->next;
    s->waiting += n;
    if (s->first == i)
        go_on(s);
}

bool stream_full(const struct stream *s)
{
    return s->to.lossless && s->first != NULL && s->first->next != NULL;
}

uint64_t stream_skipped(const struct stream *s)
{
    return s->skipped;
}

size_t stream_waiting(const struct stream *s)
{
    return s->waiting;
}

const char *stream_name(const struct stream *s)
{
    return s->to.name;
}

bool stream_unread(const struct stream *s)
{
    return s->to.fd < 0;
}

bool stream_over(const struct stream *s)
{
    return s == NULL || s->over;
}

void stream_finish(struct stream *s)
{
    s->finishing = true;
    if (s->first == NULL)
        event_active(s->done, 0, 0);
    else
        go_on(s);
}
