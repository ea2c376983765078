/* Loops over many floats: one by one, or a vector at a time where the processor has wide ones. */
#include "base/floats.h"

#include <string.h>

/* An exponent of all ones is an infinity or no number. */
static const int32_t exponent = 0x7f800000;

static bool odd(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & exponent) == exponent;
}

static float step(float w, float x, double scale, double decay)
{
    return (float)(w - (scale * x + decay * w));
}

static bool finite_rest(const float *x, size_t i, size_t n)
{
    bool bad = false;
    for (; i < n; i++)
        bad |= odd(x[i]);
    return !bad;
}

static void add_rest(float *restrict to, const float *restrict x, size_t i, size_t n)
{
    for (; i < n; i++)
        to[i] += x[i];
}

static void widen_rest(float *restrict to, const uint8_t *restrict bytes, size_t i, size_t n, float scale)
{
    for (; i < n; i++)
        to[i] = (float)bytes[i] * scale;
}

static void divide_rest(float *x, size_t i, size_t n, float by)
{
    for (; i < n; i++)
        x[i] /= by;
}

static bool descend_rest(float *restrict next, const float *restrict w, const float *restrict x, size_t i, size_t n,
                         double scale, double decay)
{
    bool bad = false;
    for (; i < n; i++) {
        next[i] = step(w[i], x[i], scale, decay);
        bad |= odd(next[i]);
    }
    return !bad;
}

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>

/* Without FMA: it would round in other ways. */
#define WIDE __attribute__((target("avx2"))) static

enum { LANES = 8 };
typedef float floats __attribute__((vector_size(LANES * sizeof(float))));
typedef double doubles __attribute__((vector_size(LANES * sizeof(double))));
typedef int32_t ints __attribute__((vector_size(LANES * sizeof(int32_t))));

static bool is_wide(void)
{
    return __builtin_cpu_supports("avx2");
}

WIDE bool none(const ints *bad)
{
    int32_t each[LANES], any = 0;
    memcpy(each, bad, sizeof each);
    for (int i = 0; i < LANES; i++)
        any |= each[i];
    return any == 0;
}

WIDE bool finite_wide(const float *x, size_t n)
{
    ints bad = { 0 }, bits;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        memcpy(&bits, x + i, sizeof bits);
        bad |= (bits & exponent) == exponent;
    }
    return none(&bad) && finite_rest(x, i, n);
}

WIDE void add_wide(float *restrict to, const float *restrict x, size_t n)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        floats a, b;
        memcpy(&a, to + i, sizeof a);
        memcpy(&b, x + i, sizeof b);
        a += b;
        memcpy(to + i, &a, sizeof a);
    }
    add_rest(to, x, i, n);
}

WIDE void widen_wide(float *restrict to, const uint8_t *restrict bytes, size_t n, float scale)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        __m256i whole = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(bytes + i)));
        _mm256_storeu_ps(to + i, _mm256_mul_ps(_mm256_cvtepi32_ps(whole), _mm256_set1_ps(scale)));
    }
    widen_rest(to, bytes, i, n, scale);
}

WIDE void divide_wide(float *x, size_t n, float by)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        floats a;
        memcpy(&a, x + i, sizeof a);
        a /= by;
        memcpy(x + i, &a, sizeof a);
    }
    divide_rest(x, i, n, by);
}

WIDE bool descend_wide(float *restrict next, const float *restrict w, const float *restrict x, size_t n, double scale,
                       double decay)
{
    ints bad = { 0 }, bits;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        floats was, by;
        memcpy(&was, w + i, sizeof was);
        memcpy(&by, x + i, sizeof by);
        doubles from = __builtin_convertvector(was, doubles), g = __builtin_convertvector(by, doubles);
        was = __builtin_convertvector(from - (scale * g + decay * from), floats);
        memcpy(next + i, &was, sizeof was);
        memcpy(&bits, &was, sizeof bits);
        bad |= (bits & exponent) == exponent;
    }
    bool rest = descend_rest(next, w, x, i, n, scale, decay);
    return none(&bad) && rest;
}
#else
static bool is_wide(void)
{
    return false;
}
#define finite_wide(x, n) finite_rest(x, 0, n)
#define add_wide(to, x, n) add_rest(to, x, 0, n)
#define widen_wide(to, bytes, n, scale) widen_rest(to, bytes, 0, n, scale)
#define divide_wide(x, n, by) divide_rest(x, 0, n, by)
#define descend_wide(next, w, x, n, scale, decay) descend_rest(next, w, x, 0, n, scale, decay)
#endif

bool floats_finite(const float *x, size_t n)
{
    return is_wide() ? finite_wide(x, n) : finite_rest(x, 0, n);
}

void floats_add(float *restrict to, const float *restrict x, size_t n)
{
    if (is_wide())
        add_wide(to, x, n);
    else
        add_rest(to, x, 0, n);
}

void floats_widen(float *restrict to, const uint8_t *restrict bytes, size_t n, float scale)
{
    if (is_wide())
        widen_wide(to, bytes, n, scale);
    else
        widen_rest(to, bytes, 0, n, scale);
}

void floats_divide(float *x, size_t n, float by)
{
    if (is_wide())
        divide_wide(x, n, by);
    else
        divide_rest(x, 0, n, by);
}

bool floats_descend(float *restrict next, const float *restrict w, const float *restrict x, size_t n, double scale,
                    double decay)
{
    return is_wide() ? descend_wide(next, w, x, n, scale, decay) : descend_rest(next, w, x, 0, n, scale, decay);
}
