/* Text from outside becomes a number only here; the locale never matters. */
#include "base/num.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/num_plain.h"

enum {
    DIGITS = 19,        /* decimal digits that always fit into 64 bits */
    EXACT_POWER = 22,   /* 10^22 is the largest power of ten that a double holds exactly */
    LONG_DIGITS = 800,  /* no midpoint between two doubles has more significant digits than 767 */
    FAR = 99999,        /* an exponent beyond it is 0 or infinite, whatever the digits */
};
#define EXACT_WHOLE (UINT64_C(1) << 53)

/* A number in decimal: (-1)^negative * digits * 10^exponent. */
struct decimal {
    bool negative, cut; /* cut: more digits than `digits` holds */
    uint64_t digits;
    int64_t exponent;
    const char *first, *behind; /* the digits with their point, without leading zeros */
    const char *end;            /* behind everything */
};

static const double powers[EXACT_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

static bool digit(const char *s, const char *end)
{
    return s < end && *s >= '0' && *s <= '9';
}

/* An exponent at s ("e-3"), if there is a whole one; returns the byte behind it. */
static const char *scan_power(const char *s, const char *end, int64_t *power)
{
    const char *p = s;
    if (p == end || (*p != 'e' && *p != 'E'))
        return s;
    bool negative = ++p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (!digit(p, end))
        return s;
    int64_t v = 0;
    for (; digit(p, end); p++)
        if (v < INT64_C(1000000000000000))
            v = 10 * v + (*p - '0');
    *power += negative ? -v : v;
    return p;
}

/* The digits at s: 12, 1.5, .5, 5. ; false when there are none. */
static bool scan_digits(const char *s, const char *end, struct decimal *d)
{
    bool any = false, point = false;
    unsigned n = 0;
    for (; digit(s, end) || (s < end && *s == '.' && !point); s++) {
        if (*s == '.') {
            point = true;
            continue;
        }
        any = true;
        d->exponent -= point;
        if (n == 0 && *s == '0')
            continue;
        if (n == 0)
            d->first = s;
        d->behind = s + 1;
        if (n < DIGITS) {
            d->digits = 10 * d->digits + (uint64_t)(*s - '0');
            n++;
        } else {
            d->cut |= *s != '0';
            d->exponent++;
        }
    }
    d->end = s;
    return any;
}

static bool scan(const char *s, const char *end, struct decimal *d)
{
    *d = (struct decimal){ 0 };
    if (s < end && (*s == '-' || *s == '+'))
        d->negative = *s++ == '-';
    if (!scan_digits(s, end, d))
        return false;
    d->end = scan_power(d->end, end, &d->exponent);
    return true;
}

/* The words for what is no number: nan, inf, infinity. */
static const char *scan_word(const char *s, const char *end, double *v)
{
    static const struct {
        const char *text;
        double v;
    } words[] = { { "infinity", INFINITY }, { "inf", INFINITY }, { "nan", NAN } };
    bool negative = s < end && *s == '-';
    if (s < end && (*s == '-' || *s == '+'))
        s++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i].text);
        if ((size_t)(end - s) >= n && strncasecmp(s, words[i].text, n) == 0) {
            *v = negative ? -words[i].v : words[i].v;
            return s + n;
        }
    }
    return NULL;
}

/* Digits and a power, as strtod reads them; more digits than can matter become a single one. */
static void long_text(const struct decimal *d, char text[LONG_DIGITS + 32])
{
    size_t n = 0;
    int64_t exponent = d->exponent;
    unsigned kept = 0;
    bool rest = false;
    for (const char *s = d->first; s < d->behind; s++) {
        if (*s == '.')
            continue;
        if (kept < LONG_DIGITS)
            text[n++] = *s;
        else
            rest |= *s != '0';
        exponent -= kept >= DIGITS && kept < LONG_DIGITS;
        kept++;
    }
    if (rest) {
        text[n++] = '1';
        exponent--;
    }
    exponent = exponent > FAR ? FAR : exponent < -FAR ? -FAR : exponent;
    snprintf(text + n, 16, "e%d", (int)exponent);
}

/* digits * 10^exponent for exponents within EXACT_POWER: two roundings, none when both are exact. */
static double scaled(const struct decimal *d)
{
    double m = (double)d->digits;
    return d->exponent < 0 ? m / powers[-d->exponent] : m * powers[d->exponent];
}

static bool near_power(const struct decimal *d)
{
    return FLT_EVAL_METHOD == 0 && d->exponent >= -EXACT_POWER && d->exponent <= EXACT_POWER;
}

/* What nearly all numbers of data are: no exponent, no more digits than fit. NULL: it is another, or none. */
static const char *short_float(const char *s, const char *end, float *v)
{
    const bool negative = s < end && *s == '-';
    const char *first = s + (s < end && (*s == '-' || *s == '+')), *p;
    uint64_t digits = 0;
    ptrdiff_t whole, behind = 0;
    p = digits_read(first, end, &digits);
    whole = p - first;
    if (p < end && *p == '.') {
        const char *point = p++;
        p = digits_read(p, end, &digits);
        behind = p - point - 1;
    }
    if (whole + behind == 0 || whole + behind > DIGITS || (p < end && (*p | 0x20) == 'e') || FLT_EVAL_METHOD != 0)
        return NULL;
    double exact = (double)digits / powers[behind];
    if (num_near_middle(exact))
        return NULL;
    *v = (float)(negative ? -exact : exact);
    return p;
}

const char *num_float(const char *s, const char *end, float *v)
{
    struct decimal d;
    double big;
    const char *read = short_float(s, end, v);
    if (read != NULL)
        return read;
    if (!scan(s, end, &d)) {
        const char *behind = scan_word(s, end, &big);
        *v = behind ? (float)big : *v;
        return behind;
    }
    float f = 0;
    if (d.digits != 0) {
        big = near_power(&d) ? scaled(&d) : INFINITY;
        char text[LONG_DIGITS + 32];
        if (big <= (double)FLT_MAX && !num_near_middle(big)) {
            f = (float)big;
        } else {
            long_text(&d, text);
            f = strtof(text, NULL);
        }
    }
    *v = d.negative ? -f : f;
    return d.end;
}

const char *num_double(const char *s, const char *end, double *v)
{
    struct decimal d;
    if (!scan(s, end, &d))
        return scan_word(s, end, v);
    double f = 0;
    if (d.digits != 0) {
        char text[LONG_DIGITS + 32];
        if (!d.cut && d.digits <= EXACT_WHOLE && near_power(&d)) {
            f = scaled(&d);
        } else {
            long_text(&d, text);
            f = strtod(text, NULL);
        }
    }
    *v = d.negative ? -f : f;
    return d.end;
}

int num_real(const char *s, double *v, struct err *e)
{
    const char *end = s + strlen(s);
    double got = 0;
    if (num_double(s, end, &got) != end || isnan(got))
        return err_set(e, ERR_USAGE, "not a number");
    if (!isfinite(got))
        return err_set(e, ERR_USAGE, "out of range");
    *v = got;
    return 0;
}

/* v * by, or false when that does not fit. */
static bool times(uint64_t *v, uint64_t by)
{
    if (*v > UINT64_MAX / by)
        return false;
    *v *= by;
    return true;
}

/* The factor that a unit means; 0 for an unknown one. */
static uint64_t unit(const char *s)
{
    static const struct {
        const char *name;
        uint64_t factor;
    } units[] = {
        { "", 1 },
        { "k", UINT64_C(1000) },
        { "M", UINT64_C(1000000) },
        { "G", UINT64_C(1000000000) },
        { "T", UINT64_C(1000000000000) },
        { "Ki", UINT64_C(1) << 10 },
        { "Mi", UINT64_C(1) << 20 },
        { "Gi", UINT64_C(1) << 30 },
        { "Ti", UINT64_C(1) << 40 },
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, s) == 0)
            return units[i].factor;
    return 0;
}

int num_whole(const char *s, uint64_t *v, struct err *e)
{
    const char *end = s + strlen(s);
    uint64_t got = 0;
    int64_t power = 0;
    bool fits = true;
    if (!digit(s, end))
        return err_set(e, ERR_USAGE, "not a whole number");
    for (; digit(s, end); s++) {
        uint64_t ones = (uint64_t)(*s - '0');
        fits = fits && times(&got, 10) && got <= UINT64_MAX - ones;
        got += ones;
    }
    s = scan_power(s, end, &power);
    uint64_t factor = unit(s);
    if (factor == 0 || power < 0)
        return err_set(e, ERR_USAGE, "not a whole number");
    for (; power > 0 && got > 0 && fits; power--)
        fits = times(&got, 10);
    if (!fits || !times(&got, factor))
        return err_set(e, ERR_USAGE, "out of range (at most %llu)", (unsigned long long)UINT64_MAX);
    *v = got;
    return 0;
}

int num_duration(const char *s, double *v, struct err *e)
{
    static const struct {
        const char *name;
        double times, over; /* a division by 1000 rounds once, a product with 0.001 twice */
    } units[] = {
        { "", 1, 1 },     { "s", 1, 1 },  { "ms", 1, 1e3 },  { "us", 1, 1e6 },
        { "ns", 1, 1e9 }, { "m", 60, 1 }, { "h", 3600, 1 },
    };
    double got;
    const char *name = num_double(s, s + strlen(s), &got);
    size_t i = 0, n = sizeof units / sizeof *units;
    while (name != NULL && i < n && strcmp(units[i].name, name) != 0)
        i++;
    if (name == NULL || i == n || isnan(got))
        return err_set(e, ERR_USAGE, "not a duration (write 250us, 20ms, 1.5s, 2m or 1h)");
    got = got * units[i].times / units[i].over;
    if (got < 0)
        return err_set(e, ERR_USAGE, "a duration cannot be negative");
    if (!isfinite(got))
        return err_set(e, ERR_USAGE, "out of range");
    *v = got;
    return 0;
}

const char *num_print_float(char *text, float v)
{
    snprintf(text, NUM_TEXT, isfinite(v) ? "%.9g" : "NA", (double)v);
    return text;
}

const char *num_print_double(char *text, double v)
{
    snprintf(text, NUM_TEXT, isfinite(v) ? "%.17g" : "NA", v);
    return text;
}
