/* Numbers from text: the bits of strtof and strtod, and what the command line takes. */
#include "base/num.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num_plain.h"
#include "lib/tap.h"

/* --- decimal text against the C library --- */

static uint64_t draw_state = 88172645463325252u;

static uint64_t draw(void)
{
    draw_state ^= draw_state << 13;
    draw_state ^= draw_state >> 7;
    draw_state ^= draw_state << 17;
    return draw_state;
}

static float draw_float(void)
{
    uint32_t bits = (uint32_t)draw();
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static double draw_double(void)
{
    uint64_t bits = draw();
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

enum { ROOM = 1400 };

static void plain(char *s)
{
    snprintf(s, ROOM, "%d.%0*d", (int)(draw() % 2000) - 1000, (int)(draw() % 7) + 1, (int)(draw() % 1000));
}

static void of_float(char *s)
{
    snprintf(s, ROOM, "%.*g", (int)(draw() % 12) + 1, (double)draw_float());
}

static void of_double(char *s)
{
    snprintf(s, ROOM, "%.*g", (int)(draw() % 22) + 1, draw_double());
}

static void subnormal(char *s)
{
    snprintf(s, ROOM, "%.*g", (int)(draw() % 20) + 1,
             draw() % 2 ? (double)draw_float() * 0x1p-126 * 0x1p-20 : draw_double() * 0x1p-1022);
}

static void digits(char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *s++ = (char)('0' + draw() % 10);
    *s = '\0';
}

static void many(char *s)
{
    digits(s, 1 + draw() % 60);
    s += strlen(s);
    *s++ = '.';
    digits(s, draw() % 60);
    s += strlen(s);
    snprintf(s, 16, "E%+d", (int)(draw() % 120) - 60);
}

static void far_off(char *s)
{
    snprintf(s, ROOM, "%s%de%s%u", draw() % 2 ? "-" : "+", (int)(draw() % 100000),
             draw() % 2 ? "-" : "", (unsigned)draw() >> draw() % 30);
}

/* The middle of two neighbouring floats, exactly, one unit in the last place off, or with a tail. */
static void middle(char *s)
{
    float a = draw_float(), b = nextafterf(a, INFINITY);
    snprintf(s, ROOM, "%.*g", draw() % 2 ? 200 : 17, ((double)a + (double)b) / 2);
    if (draw() % 2 && strchr(s, 'e') == NULL && strchr(s, '.') != NULL)
        strcat(s, draw() % 2 ? "0000000000000000000000000000000000000001" : "000000");
}

/* The same, of so few digits that they are read the fast way. */
static void short_middle(char *s)
{
    snprintf(s, ROOM, "%.7f", 131072 + (double)(2 * (draw() % 8388608) + 1) / 128);
}

static void middle_of_doubles(char *s)
{
    double a = draw_double(), b = nextafter(a, INFINITY);
    snprintf(s, ROOM, "%.*Lg", (int)(700 + draw() % 500), ((long double)a + (long double)b) / 2);
}

static void zeros(char *s)
{
    snprintf(s, ROOM, "%0*d.%0*d", (int)(draw() % 900) + 1, (int)(draw() % 2), (int)(draw() % 400) + 1,
             (int)(draw() % 1000));
}

static bool same_bits(const char *text)
{
    char *end_f, *end_d;
    float f = 1, want_f = strtof(text, &end_f);
    double d = 1, want_d = strtod(text, &end_d);
    const char *end = text + strlen(text);
    if (num_float(text, end, &f) != end_f || num_double(text, end, &d) != end_d)
        return false;
    float plain = 1;
    const char *behind = num_plain(text, &plain);
    if (behind != NULL && (behind != end_f || memcmp(&plain, &want_f, sizeof plain) != 0))
        return false;
    if (isnan(want_f))
        return isnan(f) && isnan(d);
    return memcmp(&f, &want_f, sizeof f) == 0 && memcmp(&d, &want_d, sizeof d) == 0;
}

static void decimals(void)
{
    static const struct {
        const char *what;
        void (*make)(char *s);
        long times;
    } kinds[] = {
        { "short decimals", plain, 20000 },
        { "floats in up to 12 digits", of_float, 20000 },
        { "doubles in up to 22 digits", of_double, 20000 },
        { "subnormals", subnormal, 15000 },
        { "mantissas of up to 120 digits", many, 15000 },
        { "exponents far out of range", far_off, 5000 },
        { "middles of two floats", middle, 4500 },
        { "middles of two floats in a few digits", short_middle, 4500 },
        { "middles of two doubles", middle_of_doubles, 300 },
        { "rows of zeros", zeros, 200 },
    };
    const char *more = getenv("NUMBERS"); /* 100: ten million texts */
    const long times = more != NULL ? atol(more) : 1;
    char text[ROOM] = "";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        long k = 0;
        do
            kinds[i].make(text);
        while (same_bits(text) && ++k < kinds[i].times * times);
        if (!ok(k == kinds[i].times * times, "%s are read to the bits of strtof and strtod", kinds[i].what))
            printf("# %s\n", text);
    }
}

/* What num_plain leaves to num_float, so that the fast way is the one that is tested above. */
static void plain_or_not(void)
{
    static const char *const yes[] = { "0", "-1", "0.123456", "1234567.7654321", ".5", "5.", "-0.0", "1:2", "3,4" };
    static const char *const no[] = { "", "+1", "1e3", "0.5E-3", "12345678", "0.12345678", "nan", "-", ".", "16777217.5", "x" };
    char text[64];
    float v;
    bool taken = true, left = true;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        taken &= num_plain(memcpy(text, yes[i], strlen(yes[i]) + 1), &v) != NULL;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        left &= num_plain(memcpy(text, no[i], strlen(no[i]) + 1), &v) == NULL;
    ok(taken, "numbers of a few digits are read the fast way");
    ok(left, "others, and what is none, are left to the careful one");
}

/* Where reading stops, and what it makes of the text before. */
static void edges(void)
{
    static const struct {
        const char *text;
        long used; /* -1: no number */
        double v;
    } rows[] = {
        { "1,5", 1, 1 },       { "1:2", 1, 1 },        { "0x10", 1, 0 },    { "1e", 1, 1 },
        { "1e+", 1, 1 },       { "1e+5x", 4, 1e5 },    { ".", -1, 0 },      { "", -1, 0 },
        { "-", -1, 0 },        { ".5", 2, .5 },        { "5.", 2, 5 },      { "1.2.3", 3, 1.2 },
        { " 1", -1, 0 },       { "+-1", -1, 0 },       { "-0", 2, -0.0 },   { "e5", -1, 0 },
        { "inf", 3, INFINITY }, { "-Infinity", 9, -INFINITY }, { "in", -1, 0 }, { "1e400", 5, INFINITY },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *s = rows[i].text;
        double d = 0;
        float f = 0;
        const char *behind = num_double(s, s + strlen(s), &d);
        bool same = num_float(s, s + strlen(s), &f) == behind;
        ok(same && (behind ? behind - s : -1) == rows[i].used && d == rows[i].v &&
               f == (float)rows[i].v && signbit(d) == signbit(rows[i].v),
           "'%s' is read up to its %ldth byte", s, rows[i].used);
    }
    double d;
    const char *nan = "NaN";
    ok(num_double(nan, nan + 3, &d) == nan + 3 && isnan(d), "NaN is read as such");
    const char *cut = "123456";
    ok(num_double(cut, cut + 3, &d) == cut + 3 && d == 123, "reading stops at the end given");
}

/* --- numbers of the command line --- */

static void wholes(void)
{
    static const struct {
        const char *text, *wrong; /* wrong: how the message starts; NULL: it is good */
        uint64_t v;
    } rows[] = {
        { "0", NULL, 0 },
        { "10", NULL, 10 },
        { "08", NULL, 8 },
        { "1e3", NULL, 1000 },
        { "10k", NULL, 10000 },
        { "4M", NULL, 4000000 },
        { "2Gi", NULL, UINT64_C(2) << 30 },
        { "18446744073709551615", NULL, UINT64_MAX },
        { "0e999999", NULL, 0 },
        { "18446744073709551616", "out of range", 0 },
        { "99999999999999999999", "out of range", 0 },
        { "1e20", "out of range", 0 },
        { "20000000Ti", "out of range", 0 },
        { "", "not a whole number", 0 },
        { "10.5", "not a whole number", 0 },
        { "-1", "not a whole number", 0 },
        { "+1", "not a whole number", 0 },
        { "0x10", "not a whole number", 0 },
        { "3 4", "not a whole number", 0 },
        { " 3", "not a whole number", 0 },
        { "1e-3", "not a whole number", 0 },
        { "1e", "not a whole number", 0 },
        { "10K", "not a whole number", 0 },
        { "10kk", "not a whole number", 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err e = { 0 };
        uint64_t v = 77;
        int rc = num_whole(rows[i].text, &v, &e);
        const char *wrong = rows[i].wrong;
        ok(wrong ? rc < 0 && e.kind == ERR_USAGE && v == 77 && strncmp(e.text, wrong, strlen(wrong)) == 0
                 : rc == 0 && v == rows[i].v,
           "whole number '%s': %s", rows[i].text, wrong ? wrong : "good");
    }
}

/* Reals and durations: NAN means that it is refused. */
static void reals(void)
{
    static const struct {
        int (*read)(const char *s, double *v, struct err *e);
        const char *what, *text;
        double v;
    } rows[] = {
        { num_real, "real", "1e-3", 1e-3 },       { num_real, "real", ".5", .5 },
        { num_real, "real", "-2", -2 },           { num_real, "real", "", NAN },
        { num_real, "real", "1e-3x", NAN },       { num_real, "real", "nan", NAN },
        { num_real, "real", "inf", NAN },         { num_real, "real", "0,5", NAN },
        { num_real, "real", "0x1p-2", NAN },      { num_real, "real", "1e999", NAN },
        { num_real, "real", " 1", NAN },          { num_real, "real", "1 ", NAN },
        { num_duration, "duration", "250us", 250e-6 },  { num_duration, "duration", "20ms", 20e-3 },
        { num_duration, "duration", "1.5s", 1.5 },      { num_duration, "duration", "2m", 120 },
        { num_duration, "duration", "1h", 3600 },       { num_duration, "duration", "7", 7 },
        { num_duration, "duration", "3ns", 3e-9 },      { num_duration, "duration", "0", 0 },
        { num_duration, "duration", "-1s", NAN },       { num_duration, "duration", "1 s", NAN },
        { num_duration, "duration", "1d", NAN },        { num_duration, "duration", "ms", NAN },
        { num_duration, "duration", "inf", NAN },       { num_duration, "duration", "nan", NAN },
        { num_duration, "duration", "1,5s", NAN },      { num_duration, "duration", "", NAN },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err e = { 0 };
        double v = 77;
        int rc = rows[i].read(rows[i].text, &v, &e);
        ok(isnan(rows[i].v) ? rc < 0 && e.kind == ERR_USAGE && v == 77 : rc == 0 && v == rows[i].v,
           "%s '%s': %s", rows[i].what, rows[i].text, isnan(rows[i].v) ? "refused" : "good");
    }
}

static void round_trip(void)
{
    char text[NUM_TEXT];
    long k = 0;
    bool good = true;
    for (; k < 100000 && good; k++) {
        float f = draw_float(), f2;
        double d = draw_double(), d2;
        num_print_float(text, f);
        good = isfinite(f) ? num_float(text, text + strlen(text), &f2) && memcmp(&f, &f2, sizeof f) == 0
                           : strcmp(text, "NA") == 0;
        num_print_double(text, d);
        good &= isfinite(d) ? num_double(text, text + strlen(text), &d2) && memcmp(&d, &d2, sizeof d) == 0
                            : strcmp(text, "NA") == 0;
    }
    ok(good, "printed numbers read back to the same bits");
}

int main(void)
{
    decimals();
    plain_or_not();
    edges();
    wholes();
    reals();
    round_trip();
    return tap_done();
}
