/* Bytes that come from somewhere: a file, an archive's member, a decompressor. */
#ifndef DATA_FLOW_H
#define DATA_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/block.h"
#include "base/err.h"

/* Gives at least one byte and at most room (> 0) of them; *got = 0 says that this was the end.
 * -1 and e, without the name of the file. */
typedef int flow_read(void *self, unsigned char *to, size_t room, size_t *got, struct err *e);

struct flow {
    flow_read *read;
    void *self;
};

static inline int flow_get(const struct flow *f, unsigned char *to, size_t room, size_t *got,
                           struct err *e)
{
    return f->read(f->self, to, room, got, e);
}

/* Whether nothing but zeros is left, as tapes and block devices fill up: in block[from .. n), which was read before,
 * and in the rest of the flow, which is read for it. The block has `room` bytes. -1: e. */
int flow_zeros(const struct flow *f, unsigned char *block, size_t room, size_t from, size_t n, bool *zeros,
               struct err *e);

/* A flow whose first bytes are looked at before they are read. */
enum { FLOW_HEAD = BLOCK_SIZE(1 << 15, 1 << 12) }; /* some records of every format, by which it is known */
struct flow_peek {
    struct flow below;
    unsigned char head[FLOW_HEAD];
    size_t n, at; /* head[0 .. n) was read ahead, head[at .. n) is still to be given */
};
/* Reads the head: FLOW_HEAD bytes, or all there are. */
int flow_peek(struct flow_peek *p, struct flow below, struct err *e);
flow_read flow_peek_read;

/* A flow that may not give more than `ratio` times what *fed says was read for it. */
enum { FLOW_SLACK = 1 << 20 /* bytes that are always given */ };
struct flow_limit {
    struct flow below;
    const uint64_t *fed; /* bytes */
    double ratio;
    double given; /* bytes */
};
flow_read flow_limit_read;

#endif
