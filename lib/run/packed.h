/* Entries on the wire (dsgd-protocol(7)): their n indices, ascending, then their n values. */
#ifndef RUN_PACKED_H
#define RUN_PACKED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/entries.h"
#include "base/err.h"

enum { PACKED_ENTRY = 8 /* bytes */ };

/* Whether so many entries are sent as such, and not as all `size` numbers. */
static inline bool packed_pays(size_t n, size_t size)
{
    return n < size / (PACKED_ENTRY / sizeof(float));
}

/* The entries, of `size` numbers in all, in bytes that stay and lie as uint32_t do. -1: ERR_PEER, they are none. */
int packed_read(struct entries *g, const unsigned char *bytes, size_t n, size_t size, struct err *e);

#endif
