/* The server's side of a connection: frames sent as the socket takes, and when it is looked at. */
#include "net/conn.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/conn_inside.h"

enum { PIECES_A_SEND = 8 };

static void stop_events(struct conn *c)
{
    struct event **all[] = { &c->readable, &c->writable, &c->later, &c->again };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (*all[i] != NULL)
            event_free(*all[i]);
        *all[i] = NULL;
    }
}

void conn_free(struct conn *c)
{
    if (c == NULL)
        return;
    stop_events(c);
    queue_free(&c->queue);
    intake_free(&c->in);
    c->link.ops->close(&c->link);
    c->gone = c->done = true;
    if (!c->busy)
        free(c);
}

void conn_tell_closed(struct conn *c, const struct err *why)
{
    if (c->done)
        return;
    c->done = true;
    event_del(c->readable);
    event_del(c->writable);
    struct err e = { 0 };
    if (!c->finishing || conn_queued(c) > 0)
        e = *why;
    c->calls->closed(c->owner, c, &e);
}

/* Writing failed. What the peer said before it left is still read first, in the next turn. */
static void write_failed(struct conn *c)
{
    link_failed(&c->link, &c->failure);
    c->broken = true;
    event_active(c->later, 0, 0);
}

/* Bytes that were taken now: 0 when the socket is full or broken. */
static size_t send_now(struct conn *c, struct iovec *v, size_t n)
{
    ssize_t sent = c->link.ops->write(&c->link, v, (int)n);
    if (sent >= 0) {
        c->sent += (uint64_t)sent;
        return (size_t)sent;
    }
    if (errno != EAGAIN && errno != EWOULDBLOCK)
        write_failed(c);
    return 0;
}

static void finish_if_drained(struct conn *c)
{
    if (c->finishing && conn_queued(c) == 0)
        c->link.ops->finish(&c->link); /* the peer sees the end behind the last frame */
}

/* Woken when the socket takes more, as long as there is something for it. */
static void mind_writing(struct conn *c)
{
    const struct link_ops *ops = c->link.ops;
    if (c->done || c->broken)
        return;
    if (ops->unsent(&c->link) > 0 || (c->queue.bytes > 0 && ops->open(&c->link)))
        event_add(c->writable, NULL);
    else
        event_del(c->writable);
}

static void on_writable(evutil_socket_t fd, short what, void *self)
{
    (void)fd, (void)what;
    struct conn *c = self;
    struct iovec v[PIECES_A_SEND];
    queue_sent(&c->queue, send_now(c, v, queue_gather(&c->queue, v, PIECES_A_SEND)));
    if (conn_queued(c) == 0 && !c->broken)
        finish_if_drained(c);
    mind_writing(c);
}

/* A frame to the socket as far as it takes it, the rest to the queue. */
static int put(struct conn *c, const struct frame *f, struct waiting *all, struct err *e)
{
    if (c->broken || c->done)
        return 0; /* told already, or about to be */
    struct frame whole = *f;
    whole.length = all->n;
    frame_encode(all->header, &whole);
    bool idle = c->queue.bytes == 0;
    if (idle) {
        struct iovec v[2] = { { all->header, FRAME_HEADER }, { (void *)(uintptr_t)all->payload, all->n } };
        all->sent = send_now(c, v, all->n > 0 ? 2 : 1);
    }
    int rc = c->broken || all->sent == FRAME_HEADER + all->n ? 0 : queue_add(&c->queue, all, e);
    if (idle)
        mind_writing(c);
    return rc;
}

int conn_send(struct conn *c, const struct frame *f, const void *payload, struct err *e)
{
    struct waiting all = { .payload = payload, .n = (size_t)f->length };
    return put(c, f, &all, e);
}

bool conn_replaces(const struct conn *c)
{
    return queue_unsent(&c->queue);
}

int conn_params(struct conn *c, const struct frame *f, const void *data, size_t bytes, struct stock *stock,
                struct err *e)
{
    struct waiting all = { .payload = data, .n = bytes, .stock = stock, .version = f->version, .params = true };
    int replaced = queue_drop_unsent(&c->queue);
    if (put(c, f, &all, e) < 0)
        return -1;
    return replaced;
}

void conn_finish(struct conn *c)
{
    c->finishing = true;
    if (!c->done && !c->broken)
        finish_if_drained(c);
}

/* Not before it was read a first time: who says something wrong at once is never waited for. */
static void watch(struct conn *c)
{
    if (c->watched || c->done || c->paused)
        return;
    c->watched = event_add(c->readable, NULL) == 0;
    if (c->watched)
        return;
    err_memory(&c->failure);
    c->broken = true;
    event_active(c->later, 0, 0);
}

static void on_readable(evutil_socket_t fd, short what, void *self)
{
    (void)fd, (void)what;
    struct conn *c = self;
    static const struct timeval next_turn = { 0 };
    bool drained = conn_read_turn(c);
    if (c->gone) {
        free(c);
        return;
    }
    if (!drained && !c->done && !c->paused)
        event_add(c->again, &next_turn);
    watch(c);
    mind_writing(c);
}

/* After a failed write: what had come before, then the failure. */
static void on_later(evutil_socket_t fd, short what, void *self)
{
    (void)fd, (void)what;
    struct conn *c = self;
    queue_free(&c->queue);
    if (!conn_read_turn(c) && !c->done) {
        event_active(c->later, 0, 0);
        return;
    }
    c->busy = true;
    conn_tell_closed(c, &c->failure);
    c->busy = false;
    if (c->gone)
        free(c);
}

struct conn *conn_new(struct event_base *base, struct link *link, const struct conn_calls *calls,
                      void *owner, struct err *e)
{
    struct conn *c = mem_new(1, sizeof *c, e);
    if (c == NULL) {
        link->ops->close(link);
        return NULL;
    }
    *c = (struct conn){ .link = *link, .calls = calls, .owner = owner, .heard = clock_now() };
    c->readable = event_new(base, link->in, EV_READ | EV_PERSIST, on_readable, c);
    c->writable = event_new(base, link->out, EV_WRITE | EV_PERSIST, on_writable, c);
    c->later = event_new(base, -1, 0, on_later, c);
    c->again = event_new(base, -1, 0, on_readable, c);
    if (c->readable && c->writable && c->later && c->again) {
        event_active(c->readable, EV_READ, 0);
        return c;
    }
    conn_free(c);
    err_memory(e);
    return NULL;
}

void conn_pause(struct conn *c, bool paused)
{
    if (c->done || c->paused == paused)
        return;
    c->paused = paused;
    if (paused) {
        event_del(c->readable);
        c->watched = false;
        return;
    }
    c->heard = clock_now();
    event_active(c->readable, EV_READ, 0); /* and looks on */
}

void conn_ask_again(struct conn *c, size_t n)
{
    c->in.room = n;
}

void conn_poll(struct conn *c)
{
    if (!c->done && !c->busy)
        on_readable(c->link.in, EV_READ, c);
}

bool conn_spoke(const struct conn *c)
{
    return c->spoke;
}

size_t conn_junk(const struct conn *c, const unsigned char **bytes)
{
    static const struct frame any = { .type = FRAME_HELLO };
    unsigned char ours[FRAME_HEADER];
    size_t have = c->in.have, magic = have < sizeof(uint32_t) ? have : sizeof(uint32_t);
    frame_encode(ours, &any);
    *bytes = c->in.header;
    return memcmp(c->in.header, ours, magic) == 0 ? 0 : have;
}

uint64_t conn_received(const struct conn *c)
{
    return c->received;
}

uint64_t conn_sent(const struct conn *c)
{
    return c->sent;
}

double conn_heard(const struct conn *c)
{
    return c->heard;
}

size_t conn_queued(const struct conn *c)
{
    return c->queue.bytes + c->link.ops->unsent(&c->link);
}

void *conn_owner(const struct conn *c)
{
    return c->owner;
}

void conn_set_owner(struct conn *c, void *owner)
{
    c->owner = owner;
}
