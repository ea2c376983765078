/* Loops over many floats, as fast as the processor has them. Every result is the same to the last bit on all
 * processors: each float is computed by itself, and nothing is contracted. */
#ifndef BASE_FLOATS_H
#define BASE_FLOATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool floats_finite(const float *x, size_t n); /* none is infinite or no number */
void floats_add(float *restrict to, const float *restrict x, size_t n);
void floats_widen(float *restrict to, const uint8_t *restrict bytes, size_t n, float scale); /* each times scale */
void floats_divide(float *x, size_t n, float by);

/* next = w - (scale x + decay w), in double and rounded once. Whether all of it is finite. */
bool floats_descend(float *restrict next, const float *restrict w, const float *restrict x, size_t n, double scale,
                    double decay);

#endif
