/* gzip data, with everything checked that its end says: length and checksum of every member. */
#ifndef DATA_GUNZIP_H
#define DATA_GUNZIP_H

#include <stdbool.h>
#include <zlib.h>

#include "base/block.h"
#include "data/flow.h"

enum { GUNZIP_ROOM = BLOCK_SIZE(1 << 16, 256) };

/* Zeroed before use. */
struct gunzip {
    struct flow below;
    z_stream z;
    bool open;
    bool inside; /* of a member, whose end is still to come */
    bool ended;  /* nothing comes from below any more */
    unsigned char in[GUNZIP_ROOM];
};

int gunzip_open(struct gunzip *g, struct flow below, struct err *e);
flow_read gunzip_read; /* self is a struct gunzip */
void gunzip_close(struct gunzip *g);

#endif
