/* What a peer says to the server: frames read straight into their place. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "net/conn_inside.h"
#include "net/socket.h"

enum { FRAMES_A_TURN = 16 /* then the other connections have theirs */ };

/* The peer broke the rules: it is told so, as far as its socket takes it, and closed. -1. */
static int refuse(struct conn *c, const struct err *why)
{
    if (c->done)
        return -1;
    struct err ignored = { 0 };
    struct frame f = { .type = FRAME_ERROR, .flags = why->kind, .length = strlen(why->text) };
    if (!c->finishing) {
        conn_send(c, &f, why->text, &ignored);
        c->link.ops->finish(&c->link);
        socket_discard(c->link.in);
    }
    conn_tell_closed(c, why);
    return -1;
}

/* A whole header is in: finds out where its payload goes. */
static int begin_frame(struct conn *c)
{
    struct err e = { 0 };
    if (frame_decode(&c->in.f, c->in.header, &e) < 0)
        return refuse(c, &e);
    c->in.room = (size_t)c->in.f.length;
    void *payload = c->calls->place(c->owner, c, &c->in.f, &e);
    if (c->gone)
        return -1;
    return payload != NULL && intake_begin(&c->in, payload, &e) == 0 ? 0 : refuse(c, &e);
}

/* The first bytes are in; there may be room for all. */
static int go_on(struct conn *c)
{
    struct err e = { 0 };
    c->in.payload = c->calls->rest(c->owner, c, &c->in.f, c->in.payload, &e);
    c->in.room = (size_t)c->in.f.length;
    return c->in.payload != NULL ? 0 : refuse(c, &e);
}

static int end_frame(struct conn *c)
{
    struct err e = { 0 };
    struct frame f = c->in.f;
    c->in.receiving = false;
    if (c->calls->frame(c->owner, c, &f, c->in.payload, &e) < 0)
        return refuse(c, &e);
    if (!c->tuned && !c->gone)
        socket_tune(c->link.in);
    c->tuned = true;
    return 0;
}

/* Hands over what is whole. -1: nothing more is to be read. */
static int hand_over(struct conn *c)
{
    struct intake *in = &c->in;
    while (!c->done && !c->paused) {
        if (!in->receiving) {
            if (in->have < FRAME_HEADER)
                return 0;
            if (begin_frame(c) < 0)
                return -1;
        }
        if (in->got < in->room)
            return 0;
        if ((in->room < in->f.length ? go_on(c) : end_frame(c)) < 0)
            return -1;
    }
    return -1;
}

/* Nothing more will come. Who is not the one it should be is told so. */
static void reading_ended(struct conn *c, bool in_order)
{
    struct err e = { 0 };
    if (in_order)
        err_set(&e, ERR_PEER, "connection closed");
    else
        link_failed(&c->link, &e);
    c->spoke = c->spoke || errno == EPROTO;
    if (!in_order && errno == EPROTO)
        refuse(c, &e);
    else
        conn_tell_closed(c, &e);
}

/* One read. 1: there may be more. */
static int read_some(struct conn *c)
{
    size_t room = 0;
    unsigned char *ahead = c->calls->expect != NULL ? c->calls->expect(c->owner, c, &room) : NULL;
    ssize_t n = intake_read(&c->in, &c->link, ahead, room);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return 0;
    if (n <= 0) {
        reading_ended(c, n == 0);
        return 0;
    }
    c->heard = clock_now();
    c->received += (uint64_t)n;
    c->spoke = true;
    return hand_over(c) == 0 && (c->link.more || intake_kept(&c->in));
}

bool conn_read_turn(struct conn *c)
{
    c->busy = true;
    int more = hand_over(c) == 0; /* of before a pause */
    for (int i = 0; i < FRAMES_A_TURN && more; i++)
        more = read_some(c);
    c->busy = false;
    return !more;
}
