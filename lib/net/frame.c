/* The wire's fixed header and the measurements of a minibatch, to bytes and back. */
#include "net/frame.h"

#include <zlib.h>

#include "base/bytes.h"

/* Where each member stands in the header. */
enum {
    AT_MAGIC = 0,
    AT_PROTOCOL = 4,
    AT_TYPE = 6,
    AT_FLAGS = 7,
    AT_VERSION = 8,
    AT_SEQ = 16,
    AT_LENGTH = 24,
    AT_ZERO = 32,
    AT_CRC = 36,
};

static uint32_t checksum(const unsigned char *header)
{
    return (uint32_t)crc32(0, header, AT_CRC);
}

void frame_encode(unsigned char *header, const struct frame *f)
{
    put_u32(header + AT_MAGIC, FRAME_MAGIC);
    put_u16(header + AT_PROTOCOL, FRAME_PROTOCOL);
    header[AT_TYPE] = (unsigned char)f->type;
    header[AT_FLAGS] = (unsigned char)f->flags;
    put_u64(header + AT_VERSION, f->version);
    put_u64(header + AT_SEQ, f->seq);
    put_u64(header + AT_LENGTH, f->length);
    put_u32(header + AT_ZERO, 0);
    put_u32(header + AT_CRC, checksum(header));
}

int frame_decode(struct frame *f, const unsigned char *header, struct err *e)
{
    if (get_u32(header + AT_MAGIC) != FRAME_MAGIC)
        return err_set(e, ERR_PEER, "not a dsgd peer");
    /* Before the checksum: another protocol may have another one. */
    unsigned protocol = get_u16(header + AT_PROTOCOL);
    if (protocol != FRAME_PROTOCOL)
        return err_set(e, ERR_PEER, "protocol %u, this is %d", protocol, FRAME_PROTOCOL);
    if (get_u32(header + AT_CRC) != checksum(header))
        return err_set(e, ERR_PEER, "damaged header");
    unsigned type = header[AT_TYPE];
    if (type < FRAME_HELLO || type > FRAME_ERROR)
        return err_set(e, ERR_PEER, "unknown frame type %u", type);
    f->type = (enum frame_type)type;
    f->flags = header[AT_FLAGS];
    f->version = get_u64(header + AT_VERSION);
    f->seq = get_u64(header + AT_SEQ);
    f->length = get_u64(header + AT_LENGTH);
    return 0;
}

void work_encode(unsigned char *p, const struct work *w)
{
    put_f64(p, w->loss);
    put_f64(p + 8, w->compute);
    put_f64(p + 16, w->delay);
    put_u64(p + 24, w->rows);
}

void work_decode(struct work *w, const unsigned char *p)
{
    w->loss = get_f64(p);
    w->compute = get_f64(p + 8);
    w->delay = get_f64(p + 16);
    w->rows = get_u64(p + 24);
}
