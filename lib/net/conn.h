/* The server's side of a connection: non-blocking, driven by libevent, knowing nothing above frames.
 *
 * Reads a header, asks the owner where the payload goes, reads it straight to that place, hands the
 * frame over. Writes never block: what the socket does not take is kept in the connection's own buffer
 * (one frame of parameters at the most; newer ones replace one of which no byte has gone out). */
#ifndef NET_CONN_H
#define NET_CONN_H

#include <event2/event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "net/frame.h"

struct conn;

/* What the owner does. All are called from the event loop (or from within conn_params/conn_send for
 * `closed`: never; errors there are told in the next turn of the loop). */
struct conn_calls {
    /* A header is in. Returns room for its payload of f->length bytes (any non-NULL when 0), or NULL
     * and e to refuse it: the connection is then closed as `closed` with that e. Lengths are to be
     * checked here, before any memory is taken. The place must stay valid until `frame` or `closed`. */
    void *(*place)(void *owner, struct conn *c, const struct frame *f, struct err *e);
    /* The payload is in its place. -1 and e closes the connection as `closed` with that e. */
    int (*frame)(void *owner, struct conn *c, const struct frame *f, void *payload, struct err *e);
    /* The peer closed (e->text "connection closed", kind ERR_PEER) or something failed. c is still valid
     * and is freed by conn_free, which may be called here. Called once. */
    void (*closed)(void *owner, struct conn *c, struct err *e);
};

struct conn *conn_new(struct event_base *base, int fd, const struct conn_calls *calls, void *owner,
                      struct err *e); /* takes fd */
void conn_free(struct conn *c);       /* closes at once; unsent bytes are lost */

/* Queues a small frame (HELLO answers, BYE, ERROR, HEARTBEAT): copied. Order is kept with parameters. */
int conn_send(struct conn *c, const struct frame *f, const void *payload, struct err *e);

/* Parameters: sends from `data` what the socket takes and copies the rest. Returns 1 when an earlier
 * PARAMS, of which no byte had gone out, was replaced by this one (its seq was never sent), else 0, or -1 and e. */
int conn_params(struct conn *c, const struct frame *f, const float *data, size_t bytes, struct err *e);

/* Closes by itself (`closed`, with ERR_OK) when everything queued has gone out and the peer has closed. */
void conn_finish(struct conn *c);

double conn_heard(const struct conn *c);    /* clock_now() of the last byte that came */
size_t conn_queued(const struct conn *c);   /* bytes not yet taken by the socket */
void *conn_owner(const struct conn *c);
void conn_set_owner(struct conn *c, void *owner);

#endif
