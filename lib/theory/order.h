/* E[X_{K:P}]: the mean of the K-th fastest of P workers (THEORY 2.3).
 *
 * The time of a K-sync update (the paper's lemma 3), of a sync one with K = P. Infinite where it is. */
#ifndef THEORY_ORDER_H
#define THEORY_ORDER_H

#include <stdint.h>

#include "delay/delays.h"
#include "theory/value.h"

/* 1 <= k <= workers. 0, or -1 and e: no memory. Closed forms for one law of all workers, else the
 * integral over the law's quantiles (log-gamma is not used: no P is too large); for workers that
 * differ the integral of the chance that fewer than k are done. */
int order_mean(struct value *v, const struct delays *d, uint64_t k, struct err *e);

/* E[X_{1:P} + ... + X_{K:P}], the time that the K fastest compute. */
int order_sum(struct value *v, const struct delays *d, uint64_t k, struct err *e);

#endif
