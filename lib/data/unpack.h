/* Compressed data, known by their first bytes, as a flow of what is in them. */
#ifndef DATA_UNPACK_H
#define DATA_UNPACK_H

#include <stdbool.h>

#include "data/flow.h"

/* Zeroed before use. */
struct unpack {
    struct unpack_state *state; /* NULL: nothing to unpack */
};

/* 1: the data that begin with head are compressed, and *out gives what is in them; 0: they are not,
 * *out is as it was. Whoever reads *out to its end has proved them whole. -1: ERR_SYSTEM. */
int unpack_open(struct unpack *u, const unsigned char *head, size_t n, struct flow below,
                struct flow *out, struct err *e);
void unpack_close(struct unpack *u);

#endif
