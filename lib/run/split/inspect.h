/* What shards hold, as a table: dsgd-shard --info. */
#ifndef RUN_INSPECT_H
#define RUN_INSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

/* A row a shard on out, of TSV or JSON, after the checksums of all have proved right. */
int inspect(char *const *paths, size_t n, FILE *out, bool json, struct err *e);

#endif
