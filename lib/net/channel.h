/* A worker's side of a connection: frames with a time limit, one thread. Every wait is bounded; the
 * descriptors' flags, which others may share, stay as they are. SIGPIPE is to be ignored by the
 * program. */
#ifndef NET_CHANNEL_H
#define NET_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "net/address.h"
#include "net/frame.h"
#include "net/guard.h"
#include "net/link.h"

enum {
    WATCHED_MAX = 4,
    CHANNEL_AHEAD = 1 << 16, /* bytes that are read ahead: a header and a model that is not large in one call */
};

struct channel {
    struct link link;
    double heard; /* when the last byte came */
    double told;  /* when the last frame went out */
    double limit; /* seconds of silence, or of a peer that takes nothing, until the peer is lost */
    double beat;  /* seconds: waiting and reading send a HEARTBEAT when nothing else went out */
    double looked; /* when it was last tried to read */
    bool blocks;  /* reading may wait by itself for a while: the socket is ours alone */
    bool lost;    /* it closed, broke or was silent; a breach of TLS is not this */
    const struct watched *others; /* (n_others, at most WATCHED_MAX), for channel_wait; not owned */
    size_t n_others;
    size_t at, end; /* what was read ahead and not yet taken is [at, end) of: */
    unsigned char ahead[CHANNEL_AHEAD];
};

/* Dials, one attempt of at most `seconds`; on an address that is guarded, through `guard` (else
 * NULL). limit and beat are the caller's to set. Errors as address_dial; ERR_PEER when the other
 * side is not the one it should be, or finds this one not to be. */
int channel_open(struct channel *c, const struct address *a, struct guard *guard, double seconds,
                 struct err *e);

/* The same for descriptors that are connected already; they are the channel's from now on. */
int channel_take(struct channel *c, int in, int out, struct err *e);

/* Waits at most `seconds` for a whole header. 1: f is set, its payload follows. 0: nothing yet
 * (also when some bytes came, or one of `others` is ready). -1: ERR_PEER, the connection closed or broke, or was silent beyond
 * the limit. Who asks without time to wait is answered from what is here, when it was looked for more just
 * now. Wakes within the precision of the system's timers: microseconds, not milliseconds. */
int channel_wait(struct channel *c, double seconds, struct frame *f, struct err *e);

/* The payload, all n bytes. */
int channel_read(struct channel *c, void *data, size_t n, struct err *e);

/* The same to nowhere. */
int channel_skip(struct channel *c, uint64_t n, struct err *e);

/* A frame with its payload in two pieces (either may be empty); f->length is set from them. */
int channel_send(struct channel *c, struct frame *f, const void *head, size_t n_head,
                 const void *body, size_t n_body, struct err *e);

void channel_close(struct channel *c); /* also when it was never opened, but zeroed */

#endif
