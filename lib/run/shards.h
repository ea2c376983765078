/* The rows that a worker has, as it tells them: an array of {file, rows, crc32}. */
#ifndef RUN_SHARDS_H
#define RUN_SHARDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Whether the shards of `part` are those of `all` from `at` on: by their rows and checksums, whatever the files are
 * called. */
bool shards_continue(const json_t *all, size_t at, const json_t *part);
static inline bool shards_same(const json_t *a, const json_t *b)
{
    return json_array_size(a) == json_array_size(b) && shards_continue(a, 0, b);
}

uint64_t shards_rows(const json_t *shards);

/* The text of a member of a shard; "?" when it has none. */
const char *shards_text(const json_t *shard, const char *key);

/* From shards that say whose they are (`worker`): an array for each of the `workers`; NULL and e. */
json_t *shards_by_worker(const json_t *shards, uint64_t workers, struct err *e);
/* The other way round: those of one worker, which is said in each, behind the others in `all`. */
void shards_append(json_t *all, uint64_t worker, const json_t *shards);

#endif
