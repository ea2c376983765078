/* What a C driver prints: TAP, one line a test, details behind '#'. */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_count, tap_failed;

/* One test: its sentence, and whether it holds. Returns ok. */
__attribute__((format(printf, 2, 3))) static inline bool tap(bool ok, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    printf("%sok %d - ", ok ? "" : "not ", ++tap_count);
    vprintf(fmt, ap);
    printf("\n");
    fflush(stdout);
    va_end(ap);
    tap_failed += !ok;
    return ok;
}

/* The plan; the driver's exit status. */
static inline int tap_end(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed != 0;
}

#endif
