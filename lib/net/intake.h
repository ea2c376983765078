/* What came of a frame so far: its header, its payload in the place that its reader has for it, and bytes that
 * came behind. */
#ifndef NET_INTAKE_H
#define NET_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "net/frame.h"
#include "net/link.h"

/* Zeroed before use; intake_free at the end. */
struct intake {
    unsigned char header[FRAME_HEADER]; /* of the next frame, `have` bytes of it */
    size_t have;
    struct frame f; /* the one whose payload is coming in, while `receiving` */
    bool receiving;
    unsigned char *payload; /* `got` bytes of it are in; there is room for `room` */
    size_t got, room;

    unsigned char *ahead;           /* where `beyond` bytes behind a whole header are, */
    size_t beyond, after;           /* and `after` more in: */
    unsigned char next[FRAME_HEADER];
    unsigned char *kept; /* what belongs to later frames: (kept_n), of it what is before kept_at is taken */
    size_t kept_at, kept_n;
};

/* One read, as that of the link: the rest of the payload and, behind it, of the next header. Of a frame that has
 * not begun, header and payload together, should it be the one for which `room` bytes are at `ahead`. When the
 * header is whole then, intake_begin or intake_free is next. */
ssize_t intake_read(struct intake *i, struct link *l, unsigned char *ahead, size_t room);

/* The header is whole, f made of it and room told: its payload belongs there. -1: no memory. */
int intake_begin(struct intake *i, unsigned char *payload, struct err *e);

bool intake_kept(const struct intake *i); /* bytes of later frames are here */
void intake_free(struct intake *i);

#endif
