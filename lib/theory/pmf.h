/* Distributions of counts: how many of so many have happened. */
#ifndef THEORY_PMF_H
#define THEORY_PMF_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* P(N = low + i) = p[i] for i < n; all other counts that matter have none. Counts from `limit` on are
 * not kept: who asks for fewer than limit needs them not. Zeroed before use. */
struct pmf {
    double *p; /* room for `limit` */
    size_t low, n, limit;
    double trim; /* shares below this part of the greatest are left out; 0: none */
};
int pmf_open(struct pmf *f, size_t limit, double trim, struct err *e);
void pmf_close(struct pmf *f);

/* N = 0. */
void pmf_none(struct pmf *f);

/* Binomial: of n tries with chance p each; q = 1 - p. */
void pmf_binomial(struct pmf *f, uint64_t n, double p, double q);

/* The sum of two independent counts into `sum`, another one than both. */
void pmf_add(struct pmf *sum, const struct pmf *a, const struct pmf *b);

/* P(N < limit), and E[max(limit - N, 0)]. */
double pmf_below(const struct pmf *f);
double pmf_short(const struct pmf *f);

#endif
