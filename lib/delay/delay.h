/* Laws of delays, in seconds. */
#ifndef DELAY_DELAY_H
#define DELAY_DELAY_H

#include "base/err.h"
#include "base/plug.h"
#include "base/rng.h"

struct delay_ops {
    struct plug plug;
    double (*sample)(const void *conf, struct rng *r); /* >= 0 */
};
extern const struct table delay_table; /* const exp shifted-exp pareto uniform */

/* The delay of minibatch `index` of worker `rank`: the same in every program (stream RNG_DELAY).
 * A spec without a plug is no delay: 0. */
double delay_of(const struct spec *d, uint64_t seed, uint64_t rank, uint64_t index);

#endif
