/* K-batch-sync with a shifted exponential delay (THEORY 2.3). */
#ifndef THEORY_BATCH_H
#define THEORY_BATCH_H

#include <stdint.h>

#include "base/err.h"

/* E[T] = int_0^inf P(sum_i N_i(t) <= K-1) dt, P(N(t) >= n) = P(Erlang_n <= t - n shift), for workers
 * that make one gradient after the other; shift, mean > 0. 0, or -1 and e: no memory. */
int batch_shifted_mean(double *seconds, uint64_t workers, uint64_t k, double shift, double mean,
                       struct err *e);

#endif
