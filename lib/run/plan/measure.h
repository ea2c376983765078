/* What no formula tells of a policy: a simulation without a model tells it. */
#ifndef RUN_MEASURE_H
#define RUN_MEASURE_H

#include <stdint.h>

#include "base/err.h"
#include "base/plug.h"
#include "delay/delays.h"
#include "run/price.h"

/* Long-run means, an update each. */
struct measured {
    double seconds, error; /* E[T] and its standard error, by the means of successive batches */
    double staleness, busy, wasted; /* as in struct runtime */
    double joules;                  /* NAN without --watts */
};

struct measure_conf {
    const struct delays *delays, *comm; /* comm: NULL where exchanges take no time */
    const struct prices *prices;
    uint64_t seed;
    uint64_t draws; /* minibatches */
};

/* All start at once; the first fifth of the draws is not counted. 0 and m, of NAN when there was too little
 * to see (no more than a few updates, or a time that ended with the clock); or -1 and e. */
int measure(struct measured *m, const struct spec *policy, const struct measure_conf *c, struct err *e);

#endif
