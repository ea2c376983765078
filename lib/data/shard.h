/* A shard: rows in a safetensors record (dsgd-files(5)). */
#ifndef DATA_SHARD_H
#define DATA_SHARD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/classes.h"
#include "base/err.h"
#include "base/out.h"
#include "base/record.h"
#include "base/rows.h"
#include "base/temp.h"
#include "data/builder.h"

#define SHARD_FORMAT "dsgd-shard 1"
enum { SHARD_TENSORS = 5 };

/* What is said of the rows in the metadata. */
struct shard_note {
    const struct classes *classes; /* of the whole data set, so that its shards agree */
    const json_t *data;            /* how the data were read */
    const char *source;            /* names of the files */
    uint64_t seed, shard, shards;
};

int shard_write(struct out *o, const struct rows *rows, const struct shard_note *note,
                struct err *e);

/* A shard that is written piece by piece: one that is larger than `limit` bytes by way of temporary files, a tensor
 * each. Zeroed before use, then `limit` and `folder` set; shard_writer_free at the end. */
struct shard_writer {
    size_t limit;
    size_t expected, expected_entries; /* rows of the shard and entries that they have, about; 0: not known */
    const char *folder;  /* base/temp.h */
    struct builder rows; /* the last ones */
    struct temp tensors[SHARD_TENSORS]; /* of those before, in the order of the file; */
    uint32_t crc[SHARD_TENSORS];        /* their checksums, */
    size_t n, entries;                  /* their number, and that of their entries */
};

/* More rows of the shard, all of one kind and width. */
int shard_add(struct shard_writer *w, const struct rows *r, struct err *e);

/* Writes the shard; the writer is ready for the next. */
int shard_end(struct shard_writer *w, struct out *o, const struct shard_note *note, struct err *e);
void shard_writer_free(struct shard_writer *w);

/* A shard that was read. Zeroed before use. */
struct shard {
    struct record record;
    struct rows rows; /* point into the record */
    struct classes classes;
    json_t *data;
};

/* Takes over what record_map or record_read read into s->record, and proves that rows can be used
 * without looking again: shapes, offsets, indices, classes. -1: ERR_DATA without the file's name;
 * shard_free frees the record too. */
int shard_take(struct shard *s, struct err *e);

/* Whether the tensors have the checksum that the metadata say: 0, or -1 and ERR_DATA. */
int shard_verify(const struct shard *s, struct err *e);

void shard_free(struct shard *s);

bool shard_bid(const unsigned char *head, size_t n); /* does a safetensors record begin so? */

/* crc32 of the tensors that these rows are written as, one after the other. */
uint32_t shard_crc(const struct rows *rows);

/* Values that are stored: all of dense rows. */
uint64_t shard_stored(const struct rows *rows);

#endif
