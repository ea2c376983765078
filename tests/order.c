/* E[X_{K:P}] against closed forms, known values, Monte Carlo, and one way of computing against the other. */
#include <math.h>
#include <stdlib.h>

#include "lib/tap.h"
#include "theory/mixed.h"
#include "theory/order.h"

enum { SETS = 20000, MOST = 20 };

static bool near(double got, double want, double off)
{
    bool held = got == want || fabs(got - want) <= off * fabs(want);
    if (!held)
        printf("# got %.17g, want %.17g\n", got, want);
    return held;
}

static int open(struct delays *d, uint64_t workers, size_t n, const char **texts)
{
    struct err e = { 0 };
    struct text_list list = { .v = texts, .n = n };
    int status = delays_open(d, &list, workers, &e);
    if (status < 0)
        printf("# %s\n", e.text);
    return status;
}

static struct value mean_of(const char *spec, uint64_t p, uint64_t k)
{
    struct delays d = { 0 };
    struct err e = { 0 };
    struct value v = { NAN, METHOD_SIMULATED };
    if (open(&d, p, 1, &spec) == 0)
        order_mean(&v, &d, k, &e);
    delays_close(&d);
    return v;
}

/* THEORY 10 and 2.2, to the digits that are there. */
static void test_vectors(void)
{
    static const struct {
        const char *spec;
        uint64_t p, k;
        double mean, off;
    } rows[] = {
        { "exp:1", 8, 8, 2.717857, 3e-7 },        { "exp:1", 8, 4, 0.634524, 1e-6 },
        { "shifted-exp:1,1", 8, 4, 1.634524, 3e-7 }, { "pareto:1,2", 8, 4, 1.392385, 4e-7 },
        { "pareto:1,3", 8, 4, 1.242967, 4e-7 },   { "weibull:1,0.7", 8, 4, 0.561665, 1e-6 },
        { "weibull:1,2", 8, 4, 0.771521, 1e-6 },  { "uniform:1,3", 8, 4, 1.888889, 3e-7 },
        { "pareto:1,2", 8, 8, 5.092152, 1e-7 },   { "pareto:1,1.2", 8, 8, 31.766, 1e-5 },
        { "pareto:1,1", 8, 8, INFINITY, 0 },      { "pareto:1,0.8", 8, 4, 2.430, 1e-4 },
        { "pareto:1,0.5", 8, 1, 4. / 3, 1e-13 },  { "pareto:1,0.5", 8, 2, 28. / 15, 1e-13 },
        { "pareto:1,0.5", 8, 3, 2.8, 1e-13 },     { "pareto:1,0.5", 8, 4, 14. / 3, 1e-13 },
        { "pareto:1,0.5", 8, 5, 28. / 3, 1e-13 }, { "pareto:1,0.5", 8, 6, 28, 1e-13 },
        { "pareto:1,0.5", 8, 7, INFINITY, 0 },    { "pareto:1,0.5", 8, 8, INFINITY, 0 },
        { "pareto:1,2", 100, 100, 17.747, 5e-5 }, { "hyperexp:0.9,0.5,5", 8, 4, 0.369, 5e-3 },
        { "const:2", 8, 3, 2, 0 },                { "lognormal:0,1", 1, 1, 1.6487212707001282, 1e-15 },
        /* shape 0.8 and 1.5 of four workers: one update */
        { "pareto:1,0.8", 4, 1, 1.4545, 5e-5 },   { "pareto:1,0.8", 4, 2, 2.4935, 5e-5 },
        { "pareto:1,0.8", 4, 3, 6.6494, 5e-5 },   { "pareto:1,0.8", 4, 4, INFINITY, 0 },
        { "pareto:1,1.5", 4, 1, 1.2000, 5e-5 },   { "pareto:1,1.5", 4, 2, 1.5429, 5e-5 },
        { "pareto:1,1.5", 4, 3, 2.3143, 5e-5 },   { "pareto:1,1.5", 4, 4, 6.9429, 5e-5 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ok(near(mean_of(rows[i].spec, rows[i].p, rows[i].k).mean, rows[i].mean, rows[i].off),
           "E[X_{%d:%d}] of %s is %g", (int)rows[i].k, (int)rows[i].p, rows[i].spec, rows[i].mean);
    static const struct {
        uint64_t p;
        double ratio;
    } async[] = { { 2, 3 }, { 4, 8.333 }, { 8, 21.743 }, { 16, 54.092 }, { 20, 71.955 }, { 32, 129.87 },
                  { 64, 303.61 } };
    for (size_t i = 0; i < sizeof async / sizeof *async; i++) {
        double p = (double)async[i].p;
        ok(near(p * mean_of("exp:1", async[i].p, async[i].p).mean, async[i].ratio, 5e-5),
           "sync takes %g times as long as async with %g workers", async[i].ratio, p);
    }
}

/* The least of P Weibull delays is one of scale s P^(-1/k); P-fold convolutions of nothing. */
static void test_large(void)
{
    double least = tgamma(1 + 1 / 0.7) * pow(1e5, -1 / 0.7);
    ok(near(mean_of("weibull:1,0.7", 100000, 1).mean, least, 1e-12), "the least of 100,000, by the integral");
    ok(near(mean_of("exp:1", 100000, 1).mean, 1e-5, 1e-14), "the least of 100,000, by the closed form");
    ok(near(mean_of("exp:1", 100000, 100000).mean, 12.090146129863428, 1e-14), "the greatest of 100,000");
    ok(near(mean_of("weibull:1,0.7", 100000, 100000).mean, 35.301713763311, 1e-10),
       "the greatest of 100,000 Weibull delays");
    ok(near(mean_of("weibull:1,1", 100000, 50000).mean, mean_of("exp:1", 100000, 50000).mean, 1e-12),
       "the 50,000th of 100,000: Weibull of shape 1 is exponential");
    ok(near(mean_of("gamma:1,1", 100000, 99990).mean, mean_of("exp:1", 100000, 99990).mean, 1e-11),
       "the 99,990th: so is gamma of shape 1");
    double wild = mean_of("weibull:1,0.15", 80, 80).mean;
    ok(isfinite(wild) && wild > mean_of("weibull:1,0.15", 79, 79).mean, "no sum of large terms of both signs");
}

static const char *const laws[] = {
    "const:2",       "exp:1",      "shifted-exp:1,1",   "pareto:1,2.5",
    "weibull:1,0.7", "gamma:3,1",  "lognormal:0,1",     "uniform:1,3",
    "hyperexp:0.9,0.5,5", "empirical:order-delays.txt",
};
enum { LAWS = sizeof laws / sizeof *laws };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Means of order statistics of drawn sets: first and last and one between. */
static bool drawn(const char *spec, uint64_t p, const uint64_t *k, size_t n)
{
    struct delays d = { 0 };
    double sum[3] = { 0 }, squares[3] = { 0 }, x[MOST];
    bool held = open(&d, p, 1, &spec) == 0;
    for (uint64_t i = 0; held && i < SETS; i++) {
        for (uint64_t w = 0; w < p; w++)
            x[w] = delay_of(delays_of(&d, w), 3, w, i);
        qsort(x, p, sizeof *x, ascending);
        for (size_t j = 0; j < n; j++) {
            sum[j] += x[k[j] - 1] / SETS;
            squares[j] += x[k[j] - 1] * x[k[j] - 1] / SETS;
        }
    }
    for (size_t j = 0; held && j < n; j++) {
        double error = sqrt(fmax(squares[j] - sum[j] * sum[j], 0) / SETS);
        struct err e = { 0 };
        struct value v;
        order_mean(&v, &d, k[j], &e);
        held = fabs(v.mean - sum[j]) <= 3.5 * error + 1e-9;
        if (!held)
            printf("# K=%d: %g, drawn %g +- %g\n", (int)k[j], v.mean, sum[j], error);
    }
    delays_close(&d);
    return held;
}

static void test_drawn(void)
{
    static const uint64_t of8[] = { 1, 4, 8 }, of20[] = { 10, 20 };
    for (size_t i = 0; i < LAWS; i++)
        ok(drawn(laws[i], 8, of8, 3) && drawn(laws[i], 20, of20, 2), "%s: as in %d drawn sets", laws[i], SETS);
}

/* Quantiles, closed forms and the chances of the workers' counts know nothing of each other. */
static void test_two_ways(void)
{
    static const uint64_t ps[] = { 8, 20, 500 };
    for (size_t i = 0; i < LAWS; i++) {
        bool held = true;
        for (size_t j = 0; j < 9 && held; j++) {
            struct delays d = { 0 };
            struct err e = { 0 };
            const char *spec = laws[i];
            uint64_t p = ps[j / 3], k = j % 3 == 0 ? 1 : j % 3 == 1 ? p / 2 : p;
            struct value one, sum;
            double two, sums;
            if (open(&d, p, 1, &spec) < 0 || order_mean(&one, &d, k, &e) < 0 ||
                mixed_mean(&two, &d, k, false, &e) < 0 || order_sum(&sum, &d, k, &e) < 0 ||
                mixed_mean(&sums, &d, k, true, &e) < 0)
                held = false;
            held = held && near(two, one.mean, 1e-9) && near(sums, sum.mean, 1e-9);
            delays_close(&d);
        }
        ok(held, "%s: two ways to the same mean, of one and of all up to it", laws[i]);
    }
}

static double mixed(uint64_t p, uint64_t k, size_t n, const char **texts)
{
    struct delays d = { 0 };
    struct err e = { 0 };
    struct value v = { NAN, METHOD_SIMULATED };
    if (open(&d, p, n, texts) == 0)
        order_mean(&v, &d, k, &e);
    delays_close(&d);
    return v.mean;
}

/* Rates .5 .5 1 1 2 2 4 4 (THEORY 2.3); and what two workers do, by hand. */
static void test_mixed(void)
{
    const char *rates[] = { "0-1=exp:2", "2-3=exp:1", "4-5=exp:0.5", "6-7=exp:0.25" };
    ok(near(mixed(8, 1, 4, rates), 1. / 15, 1e-11) && near(mixed(8, 4, 4, rates), 0.40844, 1e-4) &&
           near(mixed(8, 8, 4, rates), 3.3305, 1e-4), "workers of four speeds");
    const char *two[] = { "0=exp:1", "1=exp:0.5" };
    ok(near(mixed(2, 1, 2, two), 1. / 3, 1e-12) && near(mixed(2, 2, 2, two), 1 + 0.5 - 1. / 3, 1e-12),
       "the faster and the slower of two");
    const char *step[] = { "0=const:1", "1=exp:1" };
    ok(near(mixed(2, 1, 2, step), 1 - exp(-1), 1e-12) && near(mixed(2, 2, 2, step), 1 + exp(-1), 1e-12),
       "a constant beside an exponential");
    const char *scales[] = { "0=const:1000", "1=exp:1ms" };
    ok(near(mixed(2, 1, 2, scales), 1e-3, 1e-10), "six orders of magnitude between two workers");
    const char *tails[] = { "0-2=pareto:1,0.8", "3-5=pareto:2,0.3" };
    ok(mixed(6, 5, 2, tails) == INFINITY && isfinite(mixed(6, 3, 2, tails)),
       "infinite when the heaviest tails of those still busy add up to 1 or less");
    const char *slow[] = { "0-2=pareto:1,0.3", "3=pareto:1,0.301" };
    const char *same[] = { "pareto:1,0.3" };
    ok(near(mixed(4, 1, 2, slow), 1.201 / 0.201, 1e-9) && near(mixed(4, 1, 1, same), 6, 1e-12),
       "a mean that is barely finite");
    const char *many[] = { "0-9999=exp:100", "exp:1" };
    double half = mixed(100000, 50000, 2, many);
    ok(half < mean_of("exp:1", 90000, 50000).mean && half > mean_of("exp:1", 90000, 49900).mean &&
           near(mixed(100000, 100000, 2, many), 978.76060360, 1e-8),
       "100,000 workers of two speeds");
}

static void test_methods(void)
{
    ok(mean_of("exp:1", 8, 4).method == METHOD_EXACT && mean_of("pareto:1,0.8", 8, 8).method == METHOD_EXACT &&
           mean_of("gamma:2,1", 8, 4).method == METHOD_NUMERIC && mean_of("gamma:2,1", 1, 1).method == METHOD_EXACT,
       "each says how it was found");
}

int main(void)
{
    static const double x[] = { 0.4, 0.7, 1.1, 1.2, 2.0, 3.7, 9.5 };
    FILE *f = fopen("order-delays.txt", "w");
    for (size_t i = 0; f && i < sizeof x / sizeof *x; i++)
        fprintf(f, "%.1f\n", x[i]);
    if (f)
        fclose(f);
    test_vectors();
    test_large();
    test_drawn();
    test_two_ways();
    test_mixed();
    test_methods();
    remove("order-delays.txt");
    return tap_done();
}
