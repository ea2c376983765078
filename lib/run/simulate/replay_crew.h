/* Which of the files at hand are the rows that the workers of a recorded run had. */
#ifndef RUN_REPLAY_CREW_H
#define RUN_REPLAY_CREW_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/crew.h"

/* The files at hand, each read as a set of crew: sets 0 .. n-1. */
struct archive {
    struct crew *crew;
    char *const *paths;
    size_t n;
    const struct input *input;
};

/* The set that has these shards, an array of {rows, crc32, file}, in their order; one that takes several
 * files is read now. -1: ERR_DATA, which names the shard that is missing. */
int archive_find(struct archive *a, const json_t *shards, uint32_t *set, struct err *e);

/* Gives every worker its rows by line 1 of a trace. ERR_DATA. */
int archive_place(struct archive *a, const json_t *meta, struct err *e);

/* How many rows each of the workers had, by line 1 of a trace; 0: not told. ERR_DATA. */
int archive_rows(const json_t *meta, uint64_t workers, uint64_t *rows, struct err *e);

#endif
