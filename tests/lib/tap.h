/* What C drivers print: the Test Anything Protocol. */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_count, tap_failed;

/* One test; the text is a sentence that can be false. Returns whether it held. */
#define ok(held, ...) tap_ok((held), __FILE__, __LINE__, __VA_ARGS__)

__attribute__((format(printf, 4, 5), unused))
static bool tap_ok(bool held, const char *file, int line, const char *fmt, ...)
{
    __builtin_va_list ap;
    printf("%sok %d - ", held ? "" : "not ", ++tap_count);
    __builtin_va_start(ap, fmt);
    vprintf(fmt, ap);
    __builtin_va_end(ap);
    putchar('\n');
    if (!held)
        printf("# %s:%d\n", file, line);
    tap_failed += !held;
    fflush(stdout);
    return held;
}

/* Two texts, shown when they differ. */
__attribute__((unused))
static bool same_text(const char *got, const char *want)
{
    bool same = got && strcmp(got, want) == 0;
    if (!same)
        printf("# got:  %s\n# want: %s\n", got ? got : "NULL", want);
    return same;
}

/* The end of main: prints the plan, returns the exit status. */
__attribute__((unused))
static int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed != 0;
}

#endif
