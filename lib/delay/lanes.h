/* Durations worker by worker, in the order in which they were made. */
#ifndef DELAY_LANES_H
#define DELAY_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "delay/durations.h"

struct lane {
    uint64_t worker;
    size_t first, n; /* seconds[first .. first + n) */
};

/* Zeroed before use. Lanes in order of worker. */
struct lanes {
    double *seconds;
    struct lane *v;
    size_t n;
};

/* Of the completed ones of d, in its order. */
int lanes_open(struct lanes *l, const struct durations *d, struct err *e);
void lanes_free(struct lanes *l);

/* How long minibatch `index` of a worker took; behind the last they begin again, and a worker that is not
 * among them has one of theirs, in turn. */
double lanes_at(const struct lanes *l, uint64_t worker, uint64_t index);

#endif
