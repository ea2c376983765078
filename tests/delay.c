/* The laws of delays: their SPECs, their shapes, and that a delay belongs to its minibatch. */
#include <math.h>
#include <stdlib.h>

#include "delay/delay.h"
#include "lib/tap.h"

enum { N = 20000 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int parse(struct spec *s, const char *text)
{
    struct err e = { 0 };
    return spec_parse(s, &delay_table, text, &e);
}

/* Quantiles of each law; N draws are within 3 % of them, or within 3 % of the law's width. */
static void test_shapes(void)
{
    static const struct {
        const char *spec;
        double q10, q50, q90; /* seconds */
    } rows[] = {
        { "const:20ms", 0.02, 0.02, 0.02 },
        { "exp:20ms", 0.02 * 0.1053605157, 0.02 * 0.6931471806, 0.02 * 2.302585093 },
        { "exp:mean=20ms", 0.02 * 0.1053605157, 0.02 * 0.6931471806, 0.02 * 2.302585093 },
        { "shifted-exp:shift=10ms,mean=10ms", 0.01 + 0.01 * 0.1053605157,
          0.01 + 0.01 * 0.6931471806, 0.01 + 0.01 * 2.302585093 },
        { "pareto:scale=10ms,shape=2.5", 0.01 * 1.043046, 0.01 * 1.319508, 0.01 * 2.511886 },
        { "uniform:min=10ms,max=30ms", 0.012, 0.02, 0.028 },
    };
    double *x = malloc(N * sizeof *x);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct spec s = { 0 };
        double width = rows[i].q90 - rows[i].q10;
        if (!ok(parse(&s, rows[i].spec) == 0, "%s is understood", rows[i].spec))
            continue;
        for (size_t k = 0; k < N; k++)
            x[k] = delay_of(&s, 1, 3, k);
        qsort(x, N, sizeof *x, ascending);
        ok(fabs(x[N / 10] - rows[i].q10) <= 0.03 * width &&
               fabs(x[N / 2] - rows[i].q50) <= 0.03 * width &&
               fabs(x[N / 10 * 9] - rows[i].q90) <= 0.06 * width,
           "%s has its quantiles", rows[i].spec);
        spec_free(&s);
    }
    free(x);
}

static void test_places(void)
{
    struct spec s = { 0 }, none = { 0 };
    parse(&s, "exp:1s");
    double here = delay_of(&s, 1, 2, 3);
    delay_of(&s, 1, 2, 4);
    ok(here == delay_of(&s, 1, 2, 3), "the delay of a minibatch is the same each time");
    ok(here != delay_of(&s, 2, 2, 3) && here != delay_of(&s, 1, 3, 3) &&
           here != delay_of(&s, 1, 2, 4), "seed, rank and minibatch each matter");
    ok(delay_of(&none, 1, 2, 3) == 0, "without a SPEC there is no delay");
    spec_free(&s);
}

static void test_refusals(void)
{
    static const struct {
        const char *spec, *why;
    } rows[] = {
        { "weird:1s", "unknown delay 'weird'" },
        { "exp", "mean" },
        { "exp:mean=-1s", "-1s" },
        { "pareto:scale=1s,shape=0", "greater than 0" },
        { "uniform:min=2s,max=1s", "min=2s is greater than max=1s" },
        { "const:20ms,3", "3" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct spec s = { 0 };
        struct err e = { 0 };
        ok(spec_parse(&s, &delay_table, rows[i].spec, &e) < 0 && e.kind == ERR_USAGE &&
               strstr(e.text, rows[i].why) != NULL, "%s is refused: %s", rows[i].spec, e.text);
        spec_free(&s);
    }
}

int main(void)
{
    test_shapes();
    test_places();
    test_refusals();
    return tap_done();
}
