/* Compressed data: gzip by zlib, which proves every checksum, the others by libarchive. */
#include "data/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/mem.h"
#include "data/gunzip.h"

enum { BLOCK = BLOCK_SIZE(1 << 16, 256) };

/* A way to compress, and what reads it; support is NULL for ours. */
struct packing {
    const char *name;
    unsigned char magic[6];
    size_t n;
    int (*support)(struct archive *a);
};

static const struct packing packings[] = {
    { "gzip", { 0x1f, 0x8b, 8 }, 3, NULL },
    { "compress", { 0x1f, 0x9d }, 2, archive_read_support_filter_compress },
    { "bzip2", { 'B', 'Z', 'h' }, 3, archive_read_support_filter_bzip2 },
    { "xz", { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, archive_read_support_filter_xz },
    { "lzip", { 'L', 'Z', 'I', 'P' }, 4, archive_read_support_filter_lzip },
    { "lzma", { 0x5d, 0, 0 }, 3, archive_read_support_filter_lzma },
    { "zstd", { 0x28, 0xb5, 0x2f, 0xfd }, 4, archive_read_support_filter_zstd },
    { "lz4", { 0x04, 0x22, 0x4d, 0x18 }, 4, archive_read_support_filter_lz4 },
};

struct unpack_state {
    const struct packing *packing;
    struct gunzip gunzip;
    struct flow below;
    struct err failed; /* beneath libarchive */
    bool ended;        /* there is no more beneath libarchive */
    bool over;         /* it gave all there is */
    size_t got;        /* bytes of the block in hand */
    int64_t fed;       /* bytes that libarchive was given */
    struct archive *archive;
    unsigned char block[BLOCK];
};

static const struct packing *find(const unsigned char *head, size_t n)
{
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++)
        if (n >= packings[i].n && memcmp(head, packings[i].magic, packings[i].n) == 0)
            return &packings[i];
    return NULL;
}

static la_ssize_t feed(struct archive *a, void *self, const void **block)
{
    struct unpack_state *t = self;
    (void)a;
    *block = t->block;
    if (flow_get(&t->below, t->block, sizeof t->block, &t->got, &t->failed) < 0)
        return -1;
    t->ended = t->got == 0;
    t->fed += (int64_t)t->got;
    return (la_ssize_t)t->got;
}

/* libarchive has no text, or a dark one, for some data that end early. */
static int damaged(struct unpack_state *t, struct err *e)
{
    const char *why = archive_error_string(t->archive), *name = t->packing->name;
    if (t->failed.kind != ERR_OK)
        *e = t->failed;
    else if (why == NULL || *why == '\0')
        err_set(e, ERR_DATA, "the %s data end early or are damaged", name);
    else
        err_set(e, ERR_DATA, "the %s data %s damaged (%s)", name,
                t->ended ? "end early or are" : "are", why);
    return -1;
}

/* libarchive takes for the end what it cannot take for a further stream, a cut one included. */
static int check_end(struct unpack_state *t, struct err *e)
{
    int64_t unused = t->fed - archive_filter_bytes(t->archive, -1);
    bool zeros = unused <= (int64_t)t->got;
    if (zeros && flow_zeros(&t->below, t->block, sizeof t->block, t->got - (size_t)unused, t->got, &zeros, e) < 0)
        return -1;
    if (zeros)
        return 0;
    return err_set(e, ERR_DATA, "the %s data end early or are damaged: what follows them is no further stream",
                   t->packing->name);
}

static int read_archive(void *self, unsigned char *to, size_t room, size_t *got, struct err *e)
{
    struct unpack_state *t = self;
    struct archive_entry *entry;
    if (t->archive == NULL) {
        t->archive = archive_read_new();
        if (t->archive == NULL)
            return err_memory(e);
        t->packing->support(t->archive);
        archive_read_support_format_raw(t->archive);
        archive_read_support_format_empty(t->archive);
        if (archive_read_open(t->archive, t, NULL, feed, NULL) < ARCHIVE_WARN)
            return damaged(t, e);
        int status = archive_read_next_header(t->archive, &entry);
        if (status < ARCHIVE_WARN || archive_filter_count(t->archive) < 2) /* it hands on what is too short */
            return damaged(t, e);
        t->over = status == ARCHIVE_EOF;
    }
    la_ssize_t n = t->over ? 0 : archive_read_data(t->archive, to, room);
    if (n < 0)
        return damaged(t, e);
    t->over = n == 0;
    *got = (size_t)n;
    return t->over ? check_end(t, e) : 0;
}

int unpack_open(struct unpack *u, const unsigned char *head, size_t n, struct flow below,
                struct flow *out, struct err *e)
{
    const struct packing *packing = find(head, n);
    if (packing == NULL)
        return 0;
    u->state = mem_new(1, sizeof *u->state, e);
    if (u->state == NULL)
        return -1;
    u->state->packing = packing;
    u->state->below = below;
    *out = (struct flow){ read_archive, u->state };
    if (packing->support != NULL)
        return 1;
    *out = (struct flow){ gunzip_read, &u->state->gunzip };
    return gunzip_open(&u->state->gunzip, below, e) < 0 ? -1 : 1;
}

void unpack_close(struct unpack *u)
{
    struct unpack_state *t = u->state;
    if (t == NULL)
        return;
    gunzip_close(&t->gunzip);
    if (t->archive != NULL)
        archive_read_free(t->archive);
    free(t);
    u->state = NULL;
}
