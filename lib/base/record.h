/* safetensors records: eight bytes of header length, a JSON header, raw little-endian tensors.
 * Shards, models and snapshots are such records (dsgd-files(5)); records may follow each other. */
#ifndef BASE_RECORD_H
#define BASE_RECORD_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/out.h"

/* Ours are the first five; the others are read. */
enum dtype {
    DTYPE_U8, DTYPE_I32, DTYPE_I64, DTYPE_F32, DTYPE_F64,
    DTYPE_BOOL, DTYPE_I8, DTYPE_U16, DTYPE_I16, DTYPE_F16, DTYPE_BF16, DTYPE_U32, DTYPE_U64
};

enum { TENSOR_NAME = 128 /* bytes, the ending 0 among them */, TENSOR_DIMS = 8 };
struct tensor {
    char name[TENSOR_NAME];
    enum dtype dtype;
    unsigned dims;
    size_t shape[TENSOR_DIMS];
    const void *data; /* product of shape times the size of dtype; aligned to that size */
};

enum { RECORD_HEADER_MAX = 64 << 20 /* bytes of JSON header accepted */ };

/* A record that was read. Zeroed before use. */
struct record {
    json_t *meta; /* __metadata__: text to text; never NULL after reading */
    struct tensor *tensors; /* (n); owned */
    size_t n;
    void *map;      /* what data points into */
    size_t length;  /* bytes of map */
    size_t bytes;   /* of the whole record, header and all */
    int mapped;     /* 1: munmap, 0: free */
};

/* Writes one record. Header padded with blanks so that the data start at a multiple of 64.
 * meta is text to text (or NULL). Tensors in the order given, largest element size first is the
 * caller's business (so that all stay aligned). */
int record_write(struct out *o, const struct tensor *tensors, size_t n, const json_t *meta,
                 struct err *e);

/* Bytes such a record takes, and its header alone (8 + JSON + padding) as free()able memory. */
unsigned char *record_header(const struct tensor *tensors, size_t n, const json_t *meta,
                             size_t *length, size_t *total, struct err *e);

/* Maps the one record in an open file (kept open by the caller or not). Every offset is checked:
 * tensors inside the file, no holes needed, no overlap, lengths as the shapes say; no byte behind
 * the last. Errors are ERR_DATA without the file's name. */
int record_map(struct record *r, int fd, struct err *e);

/* Reads the next record of a stream. 1: one was read. 0: the stream ended before its first byte.
 * -1: e; a record that ends early says at which byte. */
int record_read(struct record *r, int fd, struct err *e);

/* The same, but ERR_PEER when nothing came for `patience` seconds; negative waits for ever. */
int record_read_within(struct record *r, int fd, double patience, struct err *e);

const struct tensor *record_find(const struct record *r, const char *name); /* or NULL */
void record_free(struct record *r);

/* Metadata: text to text. Getters: -1 and ERR_DATA naming the key when it is missing or no number. */
int meta_set(json_t *meta, const char *key, struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
const char *meta_text(const json_t *meta, const char *key); /* or NULL */
int meta_whole(const json_t *meta, const char *key, uint64_t *v, struct err *e);
int meta_real(const json_t *meta, const char *key, double *v, struct err *e);

size_t dtype_size(enum dtype t);
const char *dtype_name(enum dtype t); /* "F32" */

#endif
