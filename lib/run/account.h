/* The summary of a run, for people: what it did, and where every gradient went. */
#ifndef RUN_ACCOUNT_H
#define RUN_ACCOUNT_H

#include <stdint.h>

#include "base/log.h"
#include "run/aggregate.h"

enum { ACCOUNT_ROWS = 1000 /* workers up to which each has its row without --verbose */ };

struct account_conf {
    const struct log *log;
    uint64_t workers;
    double seconds; /* that the run took */
};

/* On stderr, unless quiet. a: NULL when the run never began; then nothing is said. */
void account_print(const struct account_conf *c, const struct aggregate *a);

#endif
