/* A worker's side of a connection: blocking frames with a time limit, one thread, poll(2). */
#ifndef NET_CHANNEL_H
#define NET_CHANNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "net/frame.h"

struct channel {
    int in, out; /* the same descriptor for sockets; 0 and 1 for stdio */
    double heard; /* when the last byte came */
    double limit; /* seconds of silence, or of a peer that takes nothing, until the peer is lost */
    unsigned char header[FRAME_HEADER];
    size_t have; /* bytes of the header that are in */
};

/* Waits at most `seconds` for a whole header. 1: f is set, its payload follows. 0: nothing yet (also when
 * some bytes came). -1: e: ERR_PEER, the connection closed or broke, or silence beyond the limit. */
int channel_wait(struct channel *c, double seconds, struct frame *f, struct err *e);

/* The payload, all n bytes. */
int channel_read(struct channel *c, void *data, size_t n, struct err *e);

/* A frame with its payload in two pieces (either may be empty); f->length is set from them. */
int channel_send(struct channel *c, struct frame *f, const void *head, size_t n_head, const void *body,
                 size_t n_body, struct err *e);

void channel_close(struct channel *c);

#endif
