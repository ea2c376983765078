/* The wire (dsgd-protocol(7)): a fixed header and a payload. Everything little-endian. */
#ifndef NET_FRAME_H
#define NET_FRAME_H

#include <stdint.h>

#include "base/err.h"

enum frame_type {
    FRAME_HELLO = 1,     /* worker: token (TOKEN_TEXT bytes, zeros when none), then JSON */
    FRAME_WELCOME = 2,   /* server: JSON */
    FRAME_PARAMS = 3,    /* server: version, seq; flags FULL, SAME or DELTA; floats */
    FRAME_GRAD = 4,      /* worker: version, seq; struct work, then floats */
    FRAME_CANCELLED = 5, /* worker: seq; struct work without loss */
    FRAME_HEARTBEAT = 6, /* both */
    FRAME_BYE = 7,       /* server: the run is over; the worker answers with BYE: seq, struct work
                            of what it leaves unfinished; FRAME_NO_SEQ: nothing. worker: leaves */
    FRAME_ERROR = 8,     /* both: text that the other side prints; flags = its exit status */
};
enum {
    PARAMS_FULL = 1,
    PARAMS_SAME = 2,  /* the worker holds that version */
    PARAMS_DELTA = 4, /* a version u64 that the worker holds, and the entries that are others since */
    GRAD_SPARSE = 1,  /* entries instead of all floats */
};

enum {
    FRAME_HEADER = 40, /* magic u32, protocol u16, type u8, flags u8, version u64, seq u64,
                          length u64, 0 u32, crc32 of what stands before u32 */
    FRAME_WORK = 32,   /* loss f64, compute f64, delay f64, rows u64 */
    FRAME_PROTOCOL = 1,
    FRAME_TEXT_MAX = 4 << 20, /* HELLO, WELCOME, ERROR */
};
#define FRAME_MAGIC 0x64677364u /* "dsgd" */
#define FRAME_NO_SEQ UINT64_MAX

struct frame {
    enum frame_type type;
    unsigned flags;
    uint64_t version, seq, length; /* length of the payload */
};
/* What a worker measured of one minibatch. */
struct work {
    double loss;           /* mean over its rows, no penalty */
    double compute, delay; /* seconds */
    uint64_t rows;
};

void frame_encode(unsigned char *header /* FRAME_HEADER */, const struct frame *f);
/* 0, or -1 and ERR_PEER: "not a dsgd peer", "protocol 2, this is 1", "damaged header". */
int frame_decode(struct frame *f, const unsigned char *header, struct err *e);
void work_encode(unsigned char *p /* FRAME_WORK */, const struct work *w);
void work_decode(struct work *w, const unsigned char *p);

#endif
