/* AdaSync: the K that theorem 5 asks for as the loss falls (THEORY 5).
 *
 * In an interval of t seconds J = t / E[T(K)] updates fit; K minimises what is left of the bound. What
 * is not known (L, sigma2) cancels against the K0 of the first interval. */
#ifndef THEORY_ADASYNC_H
#define THEORY_ADASYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "delay/delays.h"

/* Zeroed before use. */
struct adasync {
    uint64_t workers, k0, k_max;
    bool batch;      /* E[T] is proportional to K */
    double *seconds; /* E[T] for K = i + 1, i < k_max; NULL: the closed rule */
    double noise;    /* B, what K0 says of the noise */
};

/* family: k-sync, k-async, k-batch-sync or k-batch-async; k_max 0: P. Closed rules where E[T] is that of
 * exponential delays (k-sync, k-async: shifted, too) or proportional to K (the batch forms); else
 * the least over all K, with E[X_{K:P}] for E[T]. d NULL: exponential. 0, or -1 and e. */
int adasync_open(struct adasync *a, const char *family, uint64_t k0, uint64_t k_max,
                 uint64_t workers, const struct delays *d, struct err *e);
void adasync_close(struct adasync *a);

/* K now that the loss is `fall` times the one of the first interval (its floor taken off of both); with
 * a step that changed, fall / (eta_s / eta_0)^2. 1 <= K <= k_max for every fall: 0 and less give
 * k_max, NaN gives K0. */
uint64_t adasync_choose(const struct adasync *a, double fall);

/* The same before it is rounded; closed rules only. */
double adasync_ideal(const struct adasync *a, double fall);

#endif
