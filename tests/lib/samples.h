/* Small files of every format, the same four rows where a format can hold them, and containers to put them in. */
#ifndef TESTS_SAMPLES_H
#define TESTS_SAMPLES_H

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "data/shard.h"

enum { ROOM = 1 << 16, ROWS = 4, WIDTH = 2, RECORD = 3072 };

struct bytes {
    unsigned char v[ROOM];
    size_t n;
};

static void put(struct bytes *b, const void *from, size_t n)
{
    if (n > ROOM - b->n)
        exit(99);
    memcpy(b->v + b->n, from, n);
    b->n += n;
}

#define PUT(b, text) put(b, text, sizeof(text) - 1)

/* --- files of each format: the same four rows, where it can hold them --- */

static const float values[ROWS][WIDTH] = { { 11, 12 }, { 13, 14 }, { 15, 16 }, { 17, 18 } };
static const unsigned char labels[ROWS] = { 1, 0, 1, 0 };

static void libsvm(struct bytes *b)
{
    PUT(b, "1 1:11 2:12\n0 1:13 2:14 # here\n1 1:15 2:16\n0 1:17 2:18\n");
}

static void csv(struct bytes *b)
{
    PUT(b, "y,\"a\",b\n1,11,12\n0,13,14\n1,\"15\",16\n0,17,18\n");
}

static void tsv(struct bytes *b)
{
    PUT(b, "y\ta\tb\n1\t11\t12\n0\t13\t14\n1\t15\t16\n0\t17\t18\n");
}

static void idx(struct bytes *b)
{
    PUT(b, "\0\0\x08\x02\0\0\0\4\0\0\0\2\13\14\15\16\17\20\21\22");
}

static void cifar(struct bytes *b, const char *label, size_t n)
{
    for (unsigned i = 0; i < 2; i++) {
        put(b, label + n * i, n);
        for (unsigned j = 0; j < RECORD; j++)
            put(b, &(unsigned char){ (unsigned char)(j % 7 == 0 || j + 1 == RECORD ? 7 * j + i + 200 : 0) }, 1);
    }
}

static void cifar10(struct bytes *b)
{
    cifar(b, "\1\0", 1);
}

static void cifar100(struct bytes *b)
{
    cifar(b, "\3\1\4\0", 2);
}

static void npy_header(struct bytes *b, const char *descr, const char *shape)
{
    char text[128];
    int n = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape);
    PUT(b, "\x93NUMPY\1");
    put(b, (unsigned char[]){ 0, (unsigned char)n, 0 }, 3);
    put(b, text, (size_t)n);
}

static void npy(struct bytes *b)
{
    npy_header(b, "<f4", "(4, 2)");
    put(b, values, sizeof values);
}

static void npy_labels(struct bytes *b)
{
    npy_header(b, "|u1", "(4,)");
    put(b, labels, sizeof labels);
}

static void shard(struct bytes *b)
{
    char path[64];
    int fd = memfd_create("shard", 0);
    double target[ROWS] = { 1, 0, 1, 0 };
    struct err e = { 0 };
    struct out o = { 0 };
    struct classes c = { 0 };
    json_t *data = json_pack("{s:s}", "format", "npy");
    struct rows r = { .kind = ROWS_DENSE, .n = ROWS, .features = WIDTH, .x = *values, .labels = target };
    struct shard_note note = { &c, data, "here", 1, 0, 1 };
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    classes_add(&c, "0", 0, "here", 1, &e);
    classes_add(&c, "1", 1, "here", 0, &e);
    if (out_open(&o, path, &e) < 0 || shard_write(&o, &r, &note, &e) < 0 || out_commit(&o, &e) < 0)
        exit(99);
    b->n = (size_t)pread(fd, b->v, ROOM, 0);
    classes_free(&c);
    json_decref(data);
    close(fd);
}

/* --- containers --- */

struct member {
    const char *name;
    const struct bytes *content;
};

struct container {
    const char *name;
    int (*format)(struct archive *);
    int (*filter)(struct archive *);
    const char *options;
    enum { MANY, ONE, OPEN, ARCHIVE } kind;
    enum { NOTHING, HEADERS, MEMBERS, ALL } summed; /* what checksums tell of; MEMBERS: of a zip, not their list */
};
/* MANY: streams may follow each other; ONE: they may not; OPEN: nothing tells where the data end; ARCHIVE: of two
 * members, where the format has its labels in the file. */

static const struct container containers[] = {
    { "gzip", archive_write_set_format_raw, archive_write_add_filter_gzip, NULL, MANY, ALL },
    { "bzip2", archive_write_set_format_raw, archive_write_add_filter_bzip2, NULL, MANY, ALL },
    { "xz", archive_write_set_format_raw, archive_write_add_filter_xz, NULL, MANY, ALL },
    { "zstd", archive_write_set_format_raw, archive_write_add_filter_zstd, NULL, MANY, NOTHING },
    { "lz4", archive_write_set_format_raw, archive_write_add_filter_lz4, NULL, MANY, ALL },
    { "lzip", archive_write_set_format_raw, archive_write_add_filter_lzip, NULL, MANY, ALL },
    { "lzma", archive_write_set_format_raw, archive_write_add_filter_lzma, NULL, ONE, NOTHING },
    { "compress", archive_write_set_format_raw, archive_write_add_filter_compress, NULL, OPEN, NOTHING },
    { "pax", archive_write_set_format_pax, NULL, NULL, ARCHIVE, HEADERS },
    { "gnutar", archive_write_set_format_gnutar, NULL, NULL, ARCHIVE, HEADERS },
    { "ustar", archive_write_set_format_ustar, NULL, NULL, ARCHIVE, HEADERS },
    { "tar.gz", archive_write_set_format_ustar, archive_write_add_filter_gzip, NULL, ARCHIVE, ALL },
    { "tar.zst", archive_write_set_format_pax, archive_write_add_filter_zstd, NULL, ARCHIVE, NOTHING },
    { "zip", archive_write_set_format_zip, NULL, NULL, ARCHIVE, MEMBERS },
    { "zip, stored", archive_write_set_format_zip, NULL, "zip:compression=store", ARCHIVE, MEMBERS },
    { "cpio", archive_write_set_format_cpio, NULL, NULL, ARCHIVE, NOTHING },
    { "cpio newc", archive_write_set_format_cpio_newc, NULL, NULL, ARCHIVE, NOTHING },
    { "7zip", archive_write_set_format_7zip, NULL, NULL, ARCHIVE, ALL },
};
enum { CONTAINERS = sizeof containers / sizeof *containers };

static void check(int status, struct archive *a)
{
    if (status < ARCHIVE_WARN) {
        fprintf(stderr, "%s\n", archive_error_string(a));
        exit(99);
    }
}

static void pack(struct bytes *to, const struct container *c, const struct member *m, size_t n)
{
    size_t used = 0;
    struct archive *a = archive_write_new();
    check(c->format(a), a);
    if (c->filter != NULL)
        check(c->filter(a), a);
    if (c->options != NULL)
        check(archive_write_set_options(a, c->options), a);
    archive_write_set_bytes_in_last_block(a, 1);
    check(archive_write_open_memory(a, to->v + to->n, ROOM - to->n, &used), a);
    for (size_t i = 0; i < n; i++) {
        struct archive_entry *entry = archive_entry_new();
        archive_entry_set_pathname(entry, m[i].name);
        archive_entry_set_size(entry, (la_int64_t)m[i].content->n);
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        check(archive_write_header(a, entry), a);
        archive_write_data(a, m[i].content->v, m[i].content->n);
        archive_entry_free(entry);
    }
    check(archive_write_close(a), a);
    archive_write_free(a);
    to->n += used;
}

static const struct container zip = { "npz", archive_write_set_format_zip, NULL, NULL, ARCHIVE, MEMBERS };

static void npz(struct bytes *b)
{
    struct bytes *x = calloc(2, sizeof *x), *y = x + 1;
    npy(x);
    npy_labels(y);
    pack(b, &zip, (const struct member[]){ { "x.npy", x }, { "y.npy", y } }, 2);
    free(x);
}

/* Labels behind the rows, which have two dimensions each. */
static void foreign(struct bytes *b)
{
    static const char header[] =
        "{\"images\":{\"dtype\":\"F32\",\"shape\":[4,1,2],\"data_offsets\":[0,32]},"
        "\"target\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[32,36]}}";
    unsigned char length[8];
    put_u64(length, sizeof header - 1);
    put(b, length, sizeof length);
    PUT(b, header);
    put(b, values, sizeof values);
    put(b, labels, sizeof labels);
}

/* As scipy.sparse.save_npz orders them, and labels. */
static void scipy(struct bytes *b)
{
    static const struct {
        const char *name, *descr, *shape;
        const void *numbers;
        size_t n;
    } arrays[] = {
        { "indices.npy", "|u1", "(8,)", "\0\1\0\1\0\1\0\1", 8 },
        { "indptr.npy", "|i1", "(5,)", "\0\2\4\6\x8", 5 },
        { "format.npy", "|S3", "()", "csr", 3 },
        { "shape.npy", "<i2", "(2,)", "\4\0\2\0", 4 },
        { "data.npy", "<f4", "(8,)", values, sizeof values },
        { "y.npy", "|u1", "(4,)", labels, sizeof labels },
    };
    enum { ARRAYS = sizeof arrays / sizeof *arrays };
    struct bytes *content = calloc(ARRAYS, sizeof *content);
    struct member members[ARRAYS];
    for (size_t i = 0; i < ARRAYS; i++) {
        npy_header(&content[i], arrays[i].descr, arrays[i].shape);
        put(&content[i], arrays[i].numbers, arrays[i].n);
        members[i] = (struct member){ arrays[i].name, &content[i] };
    }
    pack(b, &zip, members, ARRAYS);
    free(content);
}

#endif
