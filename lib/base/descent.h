/* Minima of functions of many reals, whose gradients are known. */
#ifndef BASE_DESCENT_H
#define BASE_DESCENT_H

#include <stddef.h>

#include "base/err.h"

/* The value at x (n), and the gradient there (n). Not finite: x is out of bounds. */
typedef double slope(void *self, const double *x, double *gradient);

struct descent {
    double value;    /* at the end */
    double square;   /* ||gradient||^2 there */
    unsigned values; /* evaluations that it took */
};

/* Moves x (n) downhill: limited-memory BFGS with ten pairs (Liu, Nocedal 1989) and a search along each
 * line for the weak Wolfe conditions by halving, which also passes kinks (Lewis, Overton 2013). Ends
 * where ten steps gain less than 1e-12 of all that was gained, where rounding leaves no lower value, or
 * after about `most` values. f at x must be finite. -1: ERR_SYSTEM. */
int descend(struct descent *d, slope *f, void *self, size_t n, double *x, unsigned most, struct err *e);

#endif
