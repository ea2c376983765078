/* Vectors of n reals. */
#ifndef BASE_VECTOR_H
#define BASE_VECTOR_H

#include <stddef.h>

static inline double vector_dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* to += c v */
static inline void vector_add(double *to, double c, const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += c * v[i];
}

#endif
