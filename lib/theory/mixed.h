/* Order statistics of workers that differ, and of any law without its quantiles. */
#ifndef THEORY_MIXED_H
#define THEORY_MIXED_H

#include <stdbool.h>

#include "delay/delays.h"

/* E[X_{K:P}], or with `sum` E[X_{1:P} + ... + X_{K:P}], as the integral over t of P(N(t) < k), or
 * E[max(k - N(t), 0)], where N(t), the number done by t, is a sum of binomial counts, one a law
 * (Poisson-binomial where each worker has a law of its own). 0, or -1 and e: no memory. */
int mixed_mean(double *mean, const struct delays *d, uint64_t k, bool sum, struct err *e);

/* The exponent with which P(X_{K:P} > t) falls: the mean is infinite when it is 1 or less. */
int mixed_tail_index(double *index, const struct delays *d, uint64_t k, struct err *e);

#endif
