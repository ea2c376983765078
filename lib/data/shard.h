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

#define SHARD_FORMAT "dsgd-shard 1"

/* What is said of the rows in the metadata. */
struct shard_note {
    const struct classes *classes; /* of the whole data set, so that its shards agree */
    const json_t *data;            /* how the data were read */
    const char *source;            /* names of the files */
    uint64_t seed, shard, shards;
};

int shard_write(struct out *o, const struct rows *rows, const struct shard_note *note,
                struct err *e);

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
