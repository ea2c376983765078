/* What the two files on a connection share. */
#ifndef NET_CONN_INSIDE_H
#define NET_CONN_INSIDE_H

#include "net/conn.h"
#include "net/intake.h"
#include "net/queue.h"

struct conn {
    struct link link;
    const struct conn_calls *calls;
    void *owner;
    struct event *readable, *writable;
    struct event *later; /* `failure` is to be told */
    struct event *again; /* bytes are here that the descriptor does not tell of */
    double heard;
    uint64_t received, sent; /* bytes */
    bool spoke; /* it has sent something */

    struct intake in;
    struct queue queue; /* what the socket did not take yet */

    bool watched; /* the loop looks for what comes */
    bool tuned;
    bool finishing;
    bool paused;     /* the owner takes no frames for now */
    bool broken;     /* writing failed: `failure` is to be told */
    bool done;       /* `closed` was called */
    bool busy, gone; /* conn_free came from within a call of ours: memory goes when we are out */
    struct err failure;
};

/* Takes what has come, a number of frames at most. Whether the socket is drained. */
bool conn_read_turn(struct conn *c);

/* The last thing that the owner hears. A peer that left after conn_finish left in order. */
void conn_tell_closed(struct conn *c, const struct err *why);

#endif
