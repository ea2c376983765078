/* What differs between workers: values for RANGEs of them (`0-3=VALUE`), and one for all others. */
#ifndef BASE_RANGES_H
#define BASE_RANGES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct range {
    uint64_t first, last; /* workers, from 0 */
    size_t of;            /* the value's number, the caller's */
};

#define RANGES_NONE SIZE_MAX

/* Start with `workers` (at least 1), `noun` and rest = RANGES_NONE, all else zero. */
struct ranges {
    uint64_t workers;
    const char *noun; /* "delay": what a worker without one lacks, for messages */
    size_t rest;      /* value of those whom no range names; RANGES_NONE: there is none yet */
    struct range *v;
    size_t n, cap;
};

/* Who has value number `of`: RANGE=VALUE, RANGE being numbers N and ranges N-M from 0, with commas between,
 * or VALUE for all others. Returns where VALUE starts in text; NULL and ERR_USAGE for a range that is
 * none, a worker beyond P, and a second value for all others. */
const char *ranges_take(struct ranges *r, const char *text, size_t of, struct err *e);

/* That was the last: v is in order and covers all workers from now on. ERR_USAGE: a worker that is
 * named twice or has no value. */
int ranges_settle(struct ranges *r, struct err *e);

void ranges_free(struct ranges *r);

#endif
