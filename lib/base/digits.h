/* Runs of decimal digits, eight bytes at a time. */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <stdint.h>

#include "base/bytes.h"

/* How many of the eight bytes, from the lowest on, are digits. x: the bytes, each less '0' by exclusive or. */
static inline unsigned digits_count(uint64_t x)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f), beyond = UINT64_C(0x7676767676767676);
    uint64_t others = (((x & low) + beyond) | x) & ~low; /* a high bit for each byte that is more than 9 */
    return others == 0 ? 8 : (unsigned)__builtin_ctzll(others) / 8;
}

/* The number that eight digits are, the lowest byte its first. */
static inline uint64_t digits_value(uint64_t x)
{
    x = x * 10 + (x >> 8);
    return (((x & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064)) +
            (((x >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001))) >> 32;
}

/* Appends the digits at p, before end, to *v; returns the first byte behind them. What they are beyond 19 digits in all
 * is for the caller to refuse. */
static inline const char *digits_read(const char *p, const char *end, uint64_t *v)
{
    static const uint64_t power[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 };
    const uint64_t zeros = UINT64_C(0x3030303030303030);
    while (end - p >= 8) {
        uint64_t x = get_u64((const unsigned char *)p) ^ zeros;
        unsigned n = digits_count(x);
        if (n == 0)
            return p;
        *v = *v * power[n] + digits_value(x << (64 - 8 * n));
        p += n;
        if (n < 8)
            return p;
    }
    for (; p < end && (unsigned char)(*p - '0') < 10; p++)
        *v = 10 * *v + (uint64_t)(*p - '0');
    return p;
}

/* Bytes from its begin on that a reader without an end may look at, whatever stands in them. */
enum { DIGITS_SLACK = 24 };

/* The digits at p, at most 8, as a number; *n: how many. DIGITS_SLACK. */
static inline uint64_t digits_few(const char *p, unsigned *n)
{
    uint64_t x = get_u64((const unsigned char *)p) ^ UINT64_C(0x3030303030303030);
    *n = digits_count(x);
    return *n == 0 ? 0 : digits_value(x << (64 - 8 * *n));
}

#endif
