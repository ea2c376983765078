/* Records to and from a program, as far as its pipes take and give them. */
#include "run/exchange.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/record_header.h"

enum { LENGTH_BYTES = 8, ROOM = 1 << 16, HEADER_MAX = 1 << 20 };

void outgoing_free(struct outgoing *o)
{
    free(o->bytes);
    *o = (struct outgoing){ 0 };
}

static bool later(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

enum flow outgoing_write(struct outgoing *o, int fd, struct err *e)
{
    while (o->at < o->n) {
        ssize_t n = write(fd, o->bytes + o->at, o->n - o->at);
        if (n < 0 && errno == EPIPE)
            return FLOW_CLOSED;
        if (n < 0 && !later())
            return err_sys(e, "cannot write to it"), FLOW_FAILED;
        if (n < 0)
            return FLOW_WAIT;
        o->at += (size_t)n;
    }
    return FLOW_DONE;
}

void incoming_free(struct incoming *in)
{
    record_free(&in->record);
    free(in->bytes);
    *in = (struct incoming){ 0 };
}

static bool is_text(const unsigned char *bytes)
{
    int i = 0;
    while (i < LENGTH_BYTES && (isprint(bytes[i]) || isspace(bytes[i])))
        i++;
    return i == LENGTH_BYTES;
}

/* The length of the header is in. */
static int take_length(struct incoming *in, struct err *e)
{
    uint64_t n = get_u64(in->bytes);
    if (is_text(in->bytes))
        return err_set(e, ERR_PEER, "it wrote the text '%.8s...' instead of a safetensors record: what is for people "
                       "belongs to its standard error", (const char *)in->bytes);
    if (n < 2 || n > HEADER_MAX)
        return err_set(e, ERR_PEER, "it wrote what is no safetensors record: a header of %llu bytes, allowed are 2 to "
                       "%d", (unsigned long long)n, HEADER_MAX);
    in->need = LENGTH_BYTES + (size_t)n;
    return 0;
}

static int take_header(struct incoming *in, size_t most, struct err *e)
{
    size_t data;
    if (record_parse(&in->record, (const char *)in->bytes + LENGTH_BYTES, in->need - LENGTH_BYTES, &data, e) < 0) {
        e->kind = e->kind == ERR_DATA ? ERR_PEER : e->kind;
        return err_ctx(e, "its answer");
    }
    if (data > most)
        return err_set(e, ERR_PEER, "its answer has %zu bytes of numbers, the model %zu", data, most);
    in->data = in->need;
    in->need += data;
    return 0;
}

/* The part that was awaited is in. 1: that was all. */
static int next_part(struct incoming *in, size_t most, struct err *e)
{
    if (in->need == 0)
        return in->need = LENGTH_BYTES, 0;
    if (in->need == LENGTH_BYTES)
        return take_length(in, e);
    if (in->data == 0)
        return take_header(in, most, e);
    for (size_t i = 0; i < in->record.n; i++)
        in->record.tensors[i].data = in->bytes + in->data + (size_t)in->record.tensors[i].data;
    return 1;
}

enum flow incoming_read(struct incoming *in, int fd, size_t most, struct err *e)
{
    for (;;) {
        int rc = 0;
        while (in->have == in->need && (rc = next_part(in, most, e)) == 0)
            ;
        if (rc != 0)
            return rc < 0 ? FLOW_FAILED : FLOW_DONE;
        size_t more = in->have > ROOM ? in->have : ROOM;
        size_t room = more < in->need - in->have ? in->have + more : in->need;
        if (mem_grow(&in->bytes, &in->cap, room, 1, e) < 0)
            return FLOW_FAILED;
        ssize_t n = read(fd, in->bytes + in->have, room - in->have);
        if (n == 0)
            return FLOW_CLOSED;
        if (n < 0 && !later())
            return err_sys(e, "cannot read from it"), FLOW_FAILED;
        if (n < 0)
            return FLOW_WAIT;
        in->have += (size_t)n;
    }
}
