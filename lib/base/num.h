/* Text from outside becomes a number only here; the locale never matters.
 * Each takes a whole text (not empty, no blanks around it) and returns 0, or -1 and ERR_USAGE that
 * says what is wrong with it ("not a number", "out of range", ...) but not what it was for. */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* A finite real: 1e-3, .5, -2; no hex, nan, inf. */
int num_real(const char *s, double *v, struct err *e);

/* A whole number from 0 on: digits, or digits with a power (1e3) that is whole, and a unit k M G T
 * (1000) or Ki Mi Gi Ti (1024): 10k, 2Gi. Exact up to 2^64 - 1. */
int num_whole(const char *s, uint64_t *v, struct err *e);

/* Seconds from a duration: 250us, 20ms, 1.5s, 2m, 1h; a bare number is seconds; not negative. ns too. */
int num_duration(const char *s, double *v, struct err *e);

/* The fast reader for data files: the longest decimal number at s (before end), correctly rounded to
 * float as strtof would in the C locale. Returns the first byte behind it, or NULL when there is no
 * number at s. Accepts a sign, digits, a point, an exponent; also nan and inf, any case (check
 * isfinite). A number too large becomes an infinity, as strtof's. */
const char *num_float(const char *s, const char *end, float *v);

/* The same for double. */
const char *num_double(const char *s, const char *end, double *v);

/* Text that reads back to the same bits. `text` has room for NUM_TEXT bytes. Returns text; nan and inf become "NA". */
enum { NUM_TEXT = 32 };
const char *num_print_float(char *text, float v);  /* %.9g */
const char *num_print_double(char *text, double v); /* %.17g */

#endif
