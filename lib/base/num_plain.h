/* Numbers of data as most of them are written: a few digits, a point, a few digits. */
#ifndef BASE_NUM_PLAIN_H
#define BASE_NUM_PLAIN_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/digits.h"

/* Whether a double that may be off by some last bits could lie on the other side of the middle
 * between two floats (the lowest 29 bits of a double are what a float lacks). */
static inline bool num_near_middle(double v)
{
    enum { LOST = 29, SLACK = 8 };
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    int64_t off = (int64_t)(bits & ((1 << LOST) - 1)) - (1 << (LOST - 1));
    return off >= -SLACK && off <= SLACK;
}

/* num_float (base/num.h) for at most 7 digits on each side of the point and no exponent: the same bits. Looks at
 * DIGITS_SLACK bytes. Returns the first byte behind the number; NULL: it is another, or none. */
static inline const char *num_plain(const char *s, float *v)
{
    static const double part[] = { 1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7 };
    static const uint64_t power[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };
    const bool negative = *s == '-';
    unsigned whole, behind = 0;
    const char *p = s + negative;
    uint64_t digits = digits_few(p, &whole);
    p += whole;
    if (whole < 8 && *p == '.') {
        uint64_t fraction = digits_few(++p, &behind);
        if (behind < 8)
            digits = digits * power[behind] + fraction;
        p += behind;
    }
    if (whole + behind == 0 || whole > 7 || behind > 7 || (*p | 0x20) == 'e' || FLT_EVAL_METHOD != 0)
        return NULL;
    double near = (double)(int64_t)digits * part[behind]; /* two roundings: some last bits may be wrong */
    if (num_near_middle(near))
        return NULL;
    *v = (float)(negative ? -near : near);
    return p;
}

#endif
