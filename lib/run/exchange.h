/* Records to and from a program, as far as its pipes take and give them: nothing here blocks. */
#ifndef RUN_EXCHANGE_H
#define RUN_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/record.h"

/* What a pipe let us do. */
enum flow {
    FLOW_FAILED = -1, /* e */
    FLOW_WAIT,        /* not more for now */
    FLOW_DONE,        /* the record is through */
    FLOW_CLOSED,      /* by the other side */
};

/* A record on its way out. Zeroed before use. */
struct outgoing {
    unsigned char *bytes; /* owned */
    size_t n, at;         /* at: of them are out */
};
void outgoing_free(struct outgoing *o);
enum flow outgoing_write(struct outgoing *o, int fd, struct err *e);

/* A record on its way in. Zeroed before use, and after each record by incoming_free. */
struct incoming {
    unsigned char *bytes;
    size_t have, need, cap;
    size_t data;          /* where the tensors begin; 0: the header is not in */
    struct record record; /* a view of bytes, its tensors perhaps not aligned; whole when FLOW_DONE */
};
void incoming_free(struct incoming *in);

/* Reads no byte of the record that follows. most: bytes that its tensors may have; memory is taken for what has
 * come, and for no more. ERR_PEER: it is no such record. */
enum flow incoming_read(struct incoming *in, int fd, size_t most, struct err *e);

#endif
