/* The table of delay laws, and the delay of one minibatch. */
#include "delay/delay.h"

#define DELAY(name) extern const struct delay_ops delay_##name;
#include "delay/delay.def"
#undef DELAY

static const struct plug *const rows[] = {
#define DELAY(name) &delay_##name.plug,
#include "delay/delay.def"
#undef DELAY
    NULL,
};

const struct table delay_table = { "delay", rows };

double delay_of(const struct spec *d, uint64_t seed, uint64_t rank, uint64_t index)
{
    if (d->plug == NULL)
        return 0;
    struct rng r;
    rng_open(&r, seed, RNG_DELAY, rank, index);
    return ((const struct delay_ops *)d->plug)->sample(d->conf, &r);
}
