/* Reading safetensors records: from a file by mapping it, from a stream one after the other. */
#include "base/record.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/block.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/record_header.h"

enum { LENGTH_BYTES = 8, FIRST_ROOM = BLOCK_SIZE(1 << 20, 256) };

void record_free(struct record *r)
{
    if (r->mapped && r->map != NULL)
        munmap(r->map, r->length);
    else
        free(r->map);
    free(r->tensors);
    json_decref(r->meta);
    memset(r, 0, sizeof *r);
}

const struct tensor *record_find(const struct record *r, const char *name)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->tensors[i].name, name) == 0)
            return &r->tensors[i];
    return NULL;
}

static bool is_text(const unsigned char *bytes)
{
    for (int i = 0; i < LENGTH_BYTES; i++)
        if (!isprint(bytes[i]) && !isspace(bytes[i]))
            return false;
    return true;
}

/* What else the first eight bytes look like, and what to do with it; NULL: nothing known. As the length of a
 * header, text is far too large; the others would be of no header that is padded to 64 bytes. */
static const char *kind_of(const unsigned char *bytes)
{
    static const struct {
        const char *magic, *kind;
    } known[] = {
        { "\x1f\x8b", "gzip data: unpack it first (gzip -d)" },
        { "BZh", "bzip2 data: unpack it first (bzip2 -d)" },
        { "\xfd" "7zXZ", "xz data: unpack it first (xz -d)" },
        { "\x28\xb5\x2f\xfd", "zstd data: unpack it first (zstd -d)" },
        { "PK\3\4", "a zip archive: unpack it first (unzip)" },
        { "\x93NUMPY", "a NumPy array" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (memcmp(bytes, known[i].magic, strlen(known[i].magic)) == 0)
            return known[i].kind;
    return is_text(bytes) ? "text: dsgd-shard makes shards of it" : NULL;
}

/* Bytes of JSON, from the first eight bytes. */
static int header_length(const unsigned char *bytes, size_t *length, struct err *e)
{
    uint64_t n = get_u64(bytes);
    const char *kind = kind_of(bytes);
    if (kind != NULL)
        return err_set(e, ERR_DATA, "not a safetensors record, but %s", kind);
    if (n < 2 || n > RECORD_HEADER_MAX)
        return err_set(e, ERR_DATA,
                       "not a safetensors record: header of %llu bytes, allowed are 2 to %d",
                       (unsigned long long)n, RECORD_HEADER_MAX);
    *length = (size_t)n;
    return 0;
}

static int all_aligned(const struct record *r)
{
    for (size_t i = 0; i < r->n; i++)
        if ((uintptr_t)r->tensors[i].data % dtype_size(r->tensors[i].dtype) != 0)
            return 0;
    return 1;
}

/* Other writers need not align: then the tensors move to a block where each one is. */
static int realign(struct record *r, struct err *e)
{
    if (all_aligned(r))
        return 0;
    size_t room = 0, step = sizeof(double);
    for (size_t i = 0; i < r->n; i++)
        room += (tensor_bytes(&r->tensors[i]) + step - 1) / step * step;
    char *block = mem_new(room, 1, e), *at = block;
    if (block == NULL)
        return -1;
    for (size_t i = 0; i < r->n; i++) {
        size_t bytes = tensor_bytes(&r->tensors[i]);
        r->tensors[i].data = memcpy(at, r->tensors[i].data, bytes);
        at += (bytes + step - 1) / step * step;
    }
    if (r->mapped)
        munmap(r->map, r->length);
    else
        free(r->map);
    r->map = block;
    r->length = room;
    r->mapped = 0;
    return 0;
}

/* Parses the record of `size` bytes at r->map, nothing before and nothing behind it. */
static int parse_map(struct record *r, size_t size, struct err *e)
{
    const char *base = r->map;
    size_t header, data;
    if (header_length(r->map, &header, e) < 0)
        return -1;
    if (header > size - LENGTH_BYTES)
        return err_set(e, ERR_DATA, "header of %zu bytes in a file of %zu", header, size);
    if (record_parse(r, base + LENGTH_BYTES, header, &data, e) < 0)
        return -1;
    size_t begin = LENGTH_BYTES + header;
    if (data > size - begin)
        return err_set(e, ERR_DATA, "ends at byte %zu, its tensors need %zu", size, begin + data);
    if (data < size - begin)
        return err_set(e, ERR_DATA, "%zu bytes behind the last tensor, which ends at byte %zu",
                       size - begin - data, begin + data);
    for (size_t i = 0; i < r->n; i++)
        r->tensors[i].data = base + begin + (size_t)r->tensors[i].data;
    return realign(r, e);
}

/* The only record of a pipe. */
static int read_only_one(struct record *r, int fd, struct err *e)
{
    char more;
    int got = record_read(r, fd, e);
    if (got < 0)
        return -1;
    if (got == 0)
        return err_set(e, ERR_DATA, "empty: a safetensors record was expected");
    if (read(fd, &more, 1) == 1)
        return err_set(e, ERR_DATA, "more bytes behind the record");
    return 0;
}

static int map_file(struct record *r, int fd, size_t size, struct err *e)
{
    if (size < LENGTH_BYTES)
        return err_set(e, ERR_DATA, "%zu bytes: too short for a safetensors record", size);
    void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return err_sys(e, "cannot map %zu bytes", size);
    r->map = map;
    r->length = r->bytes = size;
    r->mapped = 1;
    return parse_map(r, size, e);
}

int record_map(struct record *r, int fd, struct err *e)
{
    struct stat s;
    memset(r, 0, sizeof *r);
    if (fstat(fd, &s) < 0)
        return err_sys(e, "cannot look at the file");
    int status = S_ISREG(s.st_mode) ? map_file(r, fd, (size_t)s.st_size, e)
                                    : read_only_one(r, fd, e);
    if (status < 0)
        record_free(r);
    return status;
}

/* Waits when a stream shared with others was made non-blocking by them. */
static int again(int fd)
{
    if (errno == EINTR)
        return 1;
    if (errno != EAGAIN && errno != EWOULDBLOCK)
        return 0;
    struct pollfd p = { .fd = fd, .events = POLLIN };
    return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

/* A stream, and how long it may be silent: seconds, negative for ever. */
struct feed {
    int fd;
    double patience;
};

/* Until there is something to read, the end included. */
static int await(const struct feed *f, struct err *e)
{
    struct pollfd p = { .fd = f->fd, .events = POLLIN };
    if (f->patience < 0)
        return 0;
    double end = clock_now() + f->patience, left = f->patience;
    do {
        int n = poll(&p, 1, left < 1e6 ? (int)(left * 1e3) + 1 : 1000000000);
        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return err_sys(e, "cannot wait");
        left = end - clock_now();
    } while (left > 0);
    return err_set(e, ERR_PEER, "nothing came for %g s", f->patience);
}

/* Up to n bytes, fewer only at the end of the stream. */
static int fill(const struct feed *f, char *at, size_t n, size_t *got, struct err *e)
{
    *got = 0;
    while (*got < n) {
        if (await(f, e) < 0)
            return -1;
        ssize_t k = read(f->fd, at + *got, n - *got);
        if (k == 0)
            break;
        if (k < 0 && !again(f->fd))
            return err_sys(e, "cannot read");
        *got += k < 0 ? 0 : (size_t)k;
    }
    return 0;
}

/* All `need` bytes into a new block. Its room grows with what has come, so that a length which
 * lies costs no memory. `before` bytes of the record were read already. */
static char *fill_block(const struct feed *f, size_t need, size_t before, struct err *e)
{
    char *block = NULL;
    size_t room = 0, have = 0, got;
    do {
        size_t want = have < FIRST_ROOM ? FIRST_ROOM : 2 * have;
        want = want < need ? want : need;
        if (mem_grow(&block, &room, want > 0 ? want : 1, 1, e) < 0)
            goto fail;
        size_t ask = room < need ? room - have : need - have;
        if (fill(f, block + have, ask, &got, e) < 0)
            goto fail;
        have += got;
        if (got < ask) {
            err_set(e, ERR_DATA, "a record ends at its byte %zu, %zu are missing", before + have,
                    need - have);
            goto fail;
        }
    } while (have < need);
    return block;
fail:
    free(block);
    return NULL;
}

static int read_body(struct record *r, const struct feed *f, size_t header, struct err *e)
{
    size_t data;
    char *text = fill_block(f, header, LENGTH_BYTES, e);
    if (text == NULL)
        return -1;
    int status = record_parse(r, text, header, &data, e);
    free(text);
    if (status < 0)
        return -1;
    r->map = fill_block(f, data, LENGTH_BYTES + header, e);
    if (r->map == NULL)
        return -1;
    r->length = data;
    r->bytes = LENGTH_BYTES + header + data;
    for (size_t i = 0; i < r->n; i++)
        r->tensors[i].data = (char *)r->map + (size_t)r->tensors[i].data;
    return realign(r, e);
}

int record_read(struct record *r, int fd, struct err *e)
{
    return record_read_within(r, fd, -1, e);
}

int record_read_within(struct record *r, int fd, double patience, struct err *e)
{
    struct feed f = { fd, patience };
    unsigned char bytes[LENGTH_BYTES];
    size_t got, header;
    memset(r, 0, sizeof *r);
    if (fill(&f, (char *)bytes, sizeof bytes, &got, e) < 0)
        return -1;
    if (got == 0)
        return 0;
    if (got < sizeof bytes)
        return err_set(e, ERR_DATA, "a record ends at its byte %zu, within the header's length",
                       got);
    if (header_length(bytes, &header, e) < 0)
        return -1;
    if (read_body(r, &f, header, e) == 0)
        return 1;
    record_free(r);
    return -1;
}
