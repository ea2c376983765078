/* Copies of parameters that wait in queues: one for all connections that wait for the same, and buffers that stay. */
#ifndef NET_STOCK_H
#define NET_STOCK_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct share;

/* Zeroed before use; stock_close at the end, when all shares are dropped. */
struct stock {
    struct share *now;  /* of the newest version, or NULL */
    struct share *idle; /* nobody's: to be used again */
};

/* A copy of n bytes of data, which are what that version is and at least as long as it is the newest, from byte `skip`
 * on; to be dropped once. NULL and e: no memory. */
struct share *stock_share(struct stock *s, uint64_t version, const void *data, size_t n, size_t skip, struct err *e);

const unsigned char *share_bytes(const struct share *s); /* from its byte 0 on */
void share_drop(struct share *s);                        /* NULL does nothing */
void stock_close(struct stock *s);

#endif
