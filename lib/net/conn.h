/* The server's side of a connection: non-blocking, driven by libevent, knows nothing above frames.
 *
 * Reads a header, asks the owner where the payload goes, reads it straight to that place, hands the
 * frame over. Writes never block: what the socket does not take is kept here, of parameters the
 * rest of one frame and one newer at the most: newer ones replace one that is all here still. */
#ifndef NET_CONN_H
#define NET_CONN_H

#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "net/frame.h"
#include "net/link.h"
#include "net/stock.h"

struct conn;

/* What the owner does. All are called from the event loop, never from within conn_send, conn_params
 * or conn_finish: a write that fails is told in the next turn of the loop, after what the peer had
 * said before. conn_free may be called in each of them, for any connection.
 * A connection that place or frame refuses is first sent e->text as an ERROR frame with e->kind in
 * its flags, as far as the socket takes it; the same for headers that are no frame of ours. */
struct conn_calls {
    /* A header is in. Returns room for its payload of f->length bytes (any non-NULL when 0), or
     * NULL and e to refuse it: the connection is then closed as `closed` with that e. Lengths are
     * to be checked here, before memory is taken. The place is valid until `frame` or `closed`. */
    void *(*place)(void *owner, struct conn *c, const struct frame *f, struct err *e);
    /* The payload is in its place. -1 and e closes the connection as `closed` with that e. */
    int (*frame)(void *owner, struct conn *c, const struct frame *f, void *payload, struct err *e);
    /* The peer closed (e->text "connection closed", kind ERR_PEER) or something failed. c is still
     * valid and is freed by conn_free, which may be called here. Called once. */
    void (*closed)(void *owner, struct conn *c, struct err *e);
    /* Or NULL. Where the payload of the next frame goes should it be the one that is likely, and how many bytes
     * that has: what comes is read there at once, and stays there when `place` then names the same. NULL: nothing
     * is likely. */
    void *(*expect)(void *owner, struct conn *c, size_t *room);
    /* NULL where conn_ask_again is not used. The bytes that it said are in their place. Returns room for the whole
     * payload, those bytes in front, or NULL and e as place does. */
    void *(*rest)(void *owner, struct conn *c, const struct frame *f, void *first, struct err *e);
};

/* Takes what is in link, also when it fails. It is read in the next turn of the loop. Until the link is open nothing is read as a frame and
 * nothing is sent. */
struct conn *conn_new(struct event_base *base, struct link *link, const struct conn_calls *calls,
                      void *owner, struct err *e);
void conn_free(struct conn *c); /* closes at once; unsent bytes are lost */

/* Queues a small frame (WELCOME, BYE, ERROR, HEARTBEAT): copied. Order is kept with parameters. */
int conn_send(struct conn *c, const struct frame *f, const void *payload, struct err *e);

/* Parameters: sends from `data` what the socket takes, copies the rest: to the stock, where they are all of f's version,
 * or stock NULL. Returns 1 when an earlier PARAMS, of which no byte had gone out, was replaced by this one (its seq was
 * never sent), else 0, or -1 and e: no memory. A connection that broke is no error here, nor in conn_send. */
int conn_params(struct conn *c, const struct frame *f, const void *data, size_t bytes, struct stock *stock,
                struct err *e);

/* Whether conn_params would replace an earlier PARAMS. */
bool conn_replaces(const struct conn *c);

/* Nothing more will be sent: when everything queued has gone out, the peer sees the end of the
 * stream. Frames are still taken. `closed` comes with ERR_OK when the peer then closes, with an
 * error when it closes before it took everything. No time limit: that is the owner's. */
void conn_finish(struct conn *c);

/* No frames are taken until the pause is over; the peer's wait in its socket. Sending goes on. */
void conn_pause(struct conn *c, bool paused);

/* From within place, of a payload longer than n: there is room for n bytes; `rest` is asked then. */
void conn_ask_again(struct conn *c, size_t n);

/* Takes what has come already, now: for a peer that is known to have ended. May call all the owner's. */
void conn_poll(struct conn *c);

bool conn_spoke(const struct conn *c); /* a byte has come */
/* Bytes that stand where a header should and begin none of ours; 0: there are none. Until conn_free. */
size_t conn_junk(const struct conn *c, const unsigned char **bytes);
uint64_t conn_received(const struct conn *c); /* bytes of frames that came, */
uint64_t conn_sent(const struct conn *c);     /* and that the socket took */
double conn_heard(const struct conn *c);    /* clock_now() of the last byte that came */
size_t conn_queued(const struct conn *c);   /* bytes not yet taken by the socket */
void *conn_owner(const struct conn *c);
void conn_set_owner(struct conn *c, void *owner);

#endif
