/* The distribution function that durations show by themselves: Kaplan and Meier's product-limit
 * estimate, which lets the censored count for as long as they are known to have lasted. */
#ifndef DELAY_STEPS_H
#define DELAY_STEPS_H

#include <stddef.h>

#include "base/err.h"
#include "delay/durations.h"

/* Zeroed before use. x rises; cdf[i] = P(X <= x[i]), of the last one 1. */
struct steps {
    double *x, *cdf;
    /* How much is known from here to the next step, as a part of what would be known had nothing been
     * censored: Hall and Wellner's (1 - K) / S, 1 while nothing was. */
    double *weight;
    size_t n;
    size_t known; /* steps at completed durations; a last one beyond them is where the greatest,
                     censored, was broken off: all that is left is put there (Efron) */
};

/* Sorts d. With `censoring` the completed count as broken off and the others not: the distribution
 * of the time at which minibatches are cut. */
int steps_open(struct steps *s, struct durations *d, bool censoring, struct err *e);
void steps_free(struct steps *s);

double steps_cdf(const struct steps *s, double x);
double steps_quantile(const struct steps *s, double p); /* the least x with P(X <= x) >= p */
double steps_mean(const struct steps *s);

#endif
