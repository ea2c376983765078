/* Names of numbered files: "shard-%d", "part-%03d". */
#ifndef RUN_PATTERN_H
#define RUN_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Whether a pattern has its one %d; -1 and ERR_USAGE when anything else stands behind a '%'. */
int pattern_check(const char *pattern, bool *numbered, struct err *e);

/* The name of file number i; free() it. The pattern was checked. */
char *pattern_name(const char *pattern, uint64_t i, struct err *e);

#endif
