/* Numbers in files of arrays. */
#include "data/element.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

bool element_known(const struct element *t)
{
    bool size = t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8;
    return size && !(t->kind == ELEMENT_FLOAT && t->size == 1) && !(t->kind == ELEMENT_BRAIN && t->size != 2);
}

static uint64_t bits_of(const struct element *t, const unsigned char *p)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < t->size; i++)
        v = v << 8 | p[t->big ? i : t->size - 1 - i];
    return v;
}

/* IEEE 754 binary16: a sign, 5 bits of exponent, 10 of fraction. */
static double half(uint64_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023) / 1024;
    double v = exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
             : exponent == 0  ? ldexp(fraction, -14)
                              : ldexp(1 + fraction, exponent - 15);
    return bits >> 15 ? -v : v;
}

static double single(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return (double)v;
}

static double real(const struct element *t, uint64_t bits)
{
    double v;
    if (t->size == 2)
        return half(bits);
    if (t->size == 4)
        return single((uint32_t)bits);
    memcpy(&v, &bits, sizeof v);
    return v;
}

double element_get(const struct element *t, const unsigned char *p)
{
    uint64_t bits = bits_of(t, p);
    unsigned unused = 64 - 8 * t->size;
    if (t->kind == ELEMENT_FLOAT)
        return real(t, bits);
    if (t->kind == ELEMENT_BRAIN)
        return single((uint32_t)bits << 16);
    if (t->kind == ELEMENT_SIGNED)
        return (double)((int64_t)(bits << unused) >> unused);
    return (double)bits;
}

bool element_exact(const struct element *t, const unsigned char *p)
{
    bool whole = t->kind == ELEMENT_SIGNED || t->kind == ELEMENT_UNSIGNED;
    double v = element_get(t, p);
    if (!whole || t->size < 8 || fabs(v) < 0x1p53)
        return true;
    if (t->kind == ELEMENT_SIGNED)
        return v < 0x1p63 && (int64_t)v == (int64_t)bits_of(t, p);
    return v < 0x1p64 && (uint64_t)v == bits_of(t, p);
}
