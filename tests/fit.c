/* Fits: the likeliest parameters, from whole and from censored durations, and how good they are. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "delay/alike.h"
#include "delay/fit.h"
#include "lib/tap.h"

enum { N = 4000, WORKERS = 8, FIRST = 4 };

static const struct delay_ops *family(const char *name)
{
    for (const struct plug *const *row = delay_table.rows; *row; row++)
        if (strcmp((*row)->name, name) == 0)
            return (const struct delay_ops *)*row;
    return NULL;
}

static void add(struct durations *d, double seconds, bool censored)
{
    struct err e = { 0 };
    durations_add(d, &(struct duration){ seconds, UINT64_MAX, censored }, &e);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* N whole durations; or rounds of eight workers of which the four fastest are whole, as in k-sync:4. */
static struct durations drawn(const char *spec, bool rounds)
{
    struct durations d = { 0 };
    struct spec s = { 0 };
    struct err e = { 0 };
    spec_parse(&s, &delay_table, spec, &e);
    for (uint64_t i = 0; i < N && !rounds; i++)
        add(&d, delay_of(&s, 5, 0, i), false);
    for (uint64_t i = 0; i < N / WORKERS && rounds; i++) {
        double x[WORKERS];
        for (uint64_t w = 0; w < WORKERS; w++)
            x[w] = delay_of(&s, 5, w, i);
        qsort(x, WORKERS, sizeof *x, ascending);
        for (int w = 0; w < WORKERS; w++)
            add(&d, w < FIRST ? x[w] : x[FIRST - 1], w >= FIRST);
    }
    spec_free(&s);
    return d;
}

static double loglik(const char *spec, const struct durations *d)
{
    struct spec s = { 0 };
    struct err e = { 0 };
    double sum = 0;
    spec_parse(&s, &delay_table, spec, &e);
    for (size_t i = 0; i < d->n; i++)
        sum += (d->v[i].censored ? delay_logtail : delay_logpdf)(&s, d->v[i].seconds);
    spec_free(&s);
    return sum;
}

/* Standard errors: from the Fisher information, times sqrt(N); of ends, which are off to one side by
 * about (spacing) / N, three of those; of hyperexp from repeated draws. */
static const struct {
    const char *spec;
    const char *name[3];
    double value[3], error[3];
    bool end[3];
    const char *far; /* what durations that end with the fourth of eight hardly tell */
} laws[] = {
    { "exp:2", { "mean" }, { 2 }, { 2 }, { 0 }, "" },
    { "shifted-exp:1,2", { "shift", "mean" }, { 1, 2 }, { 2, 2 }, { true, false }, "" },
    { "pareto:2,1.5", { "scale", "shape" }, { 2, 1.5 }, { 2 / 1.5, 1.5 }, { true, false }, "" },
    { "pareto:2,0.8", { "scale", "shape" }, { 2, 0.8 }, { 2 / 0.8, 0.8 }, { true, false }, "" },
    { "weibull:3,0.7", { "scale", "shape" }, { 3, 0.7 }, { 1.0529 * 3 / 0.7, 0.7797 * 0.7 }, { 0 }, "" },
    { "weibull:3,2", { "scale", "shape" }, { 3, 2 }, { 1.0529 * 3 / 2, 0.7797 * 2 }, { 0 }, "" },
    { "gamma:2,3", { "shape", "scale" }, { 2, 3 }, { 2.6267, 4.4748 }, { 0 }, "" },
    { "lognormal:-1,0.5", { "mu", "sigma" }, { -1, 0.5 }, { 0.5, 0.35355 }, { 0 }, "" },
    { "uniform:1,3", { "min", "max" }, { 1, 3 }, { 2, 2 }, { true, true }, "max" },
    { "hyperexp:0.7,0.5,5", { "p", "mean1", "mean2" }, { 0.7, 0.5, 5 }, { 0.72, 1.0, 11 }, { 0 }, "mean2" },
};
enum { LAWS = sizeof laws / sizeof *laws };

/* Half as many whole ones: an error may be twice as large. */
static bool recovered(const struct fit *f, size_t i, bool rounds)
{
    bool held = f->law.plug != NULL;
    double widen = rounds ? 2 : 1;
    for (int p = 0; held && p < 3 && laws[i].name[p]; p++) {
        if (rounds && strcmp(laws[i].far, laws[i].name[p]) == 0)
            continue;
        double got = delay_param(&f->law, laws[i].name[p]), root = laws[i].end[p] ? N : sqrt(N);
        double off = fabs(got - laws[i].value[p]) / (laws[i].error[p] / root);
        if (off > 3 * widen)
            printf("# %s=%g: %g standard errors off\n", laws[i].name[p], got, off);
        held = held && off <= 3 * widen;
    }
    return held;
}

/* The truth cannot be likelier than the fit, nor the fit by much. */
static void test_recovery_of(size_t i, bool rounds)
{
    struct durations d = drawn(laws[i].spec, rounds);
    double truth = loglik(laws[i].spec, &d);
    struct fit f;
    struct err e = { 0 };
    char name[40];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(laws[i].spec, ":"), laws[i].spec);
    fit_law(&f, family(name), &d, &e);
    ok(recovered(&f, i, rounds), "%s from %s durations: %s", laws[i].spec,
       rounds ? "censored" : "whole", f.law.text);
    ok(f.loglik >= truth - 1e-6 && 2 * (f.loglik - truth) < 17,
       "it is the likeliest: %.9g, truth %.9g", f.loglik, truth);
    ok(f.ks < 1.63 / sqrt(rounds ? N / 4. : N), "it is near what was seen: %g", f.ks);
    fit_free(&f);
    durations_free(&d);
}

static void test_recovery(void)
{
    for (size_t i = 0; i < LAWS; i++)
        for (int rounds = 0; rounds < 2; rounds++)
            test_recovery_of(i, rounds);
}

/* What was completed says 0.366: sum of the four least of eight exponential delays over four. */
static void test_censored_mean(void)
{
    struct durations d = drawn("exp:1", true);
    struct err e = { 0 };
    struct fit f;
    double sum = 0;
    for (size_t i = 0; i < d.n; i++)
        sum += d.v[i].censored ? 0 : d.v[i].seconds / (N / 2.);
    fit_law(&f, family("exp"), &d, &e);
    double mean = delay_mean(&f.law);
    ok(fabs(mean - 1) < 3 / sqrt(N / 2.) && fabs(sum - 0.3655) < 0.03,
       "a mean of 1 is found where the completed say %.4f: %.4f", sum, mean);
    fit_free(&f);
    durations_free(&d);
}

static void test_order(void)
{
    static const char *const specs[] = { "shifted-exp:1,2", "pareto:2,1.5", "weibull:3,2",
                                         "lognormal:-1,0.8", "uniform:1,3", "hyperexp:0.7,0.1,5" };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct durations d = drawn(specs[i], i % 2);
        struct fits f = { 0 };
        struct err e = { 0 };
        size_t n = strcspn(specs[i], ":");
        fits_open(&f, &d, &e);
        ok(f.n == 9 && strncmp(f.v[0].row->plug.name, specs[i], n) == 0 &&
               f.v[0].row->plug.name[n] == '\0' &&
               fabs(f.v[0].aic - 2 * (n == 8 && specs[i][0] == 'h' ? 3 : 2) + 2 * f.v[0].loglik) < 1e-9,
           "of durations as of %s that family comes first: %s", specs[i], f.v[0].law.text);
        fits_free(&f);
        durations_free(&d);
    }
}

static double chance(const char *name, const char *spec, bool rounds)
{
    struct durations d = drawn(spec, rounds);
    struct err e = { 0 };
    struct fit f;
    d.n = 400;
    struct durations copy = { 0 };
    for (size_t i = 0; i < d.n; i++)
        durations_add(&copy, &d.v[i], &e);
    fit_law(&f, family(name), &copy, &e);
    fit_chance(&f, &d, &e);
    double p = f.p;
    fit_free(&f);
    durations_free(&copy);
    durations_free(&d);
    return p;
}

static void test_chance(void)
{
    for (int rounds = 0; rounds < 2; rounds++) {
        double right = chance("exp", "exp:1", rounds), wrong = chance("exp", "weibull:1,2", rounds);
        ok(right > 0.05 && right <= 1, "the right law is likely: p=%g", right);
        ok(wrong == 1. / (FIT_DRAWS + 1), "the wrong one is not: p=%g", wrong);
    }
    ok(chance("gamma", "gamma:2,1", true) == chance("gamma", "gamma:2,1", true), "p is the same each time");
}

/* Twenty durations of a law without a mean. */
static void test_heavy(void)
{
    static const double x[] = { 1.0322, 1.7995, 5.0215, 1.1024, 1.9972, 6.4532, 1.1817,
                                2.2377, 8.8349, 1.2718, 2.5359, 13.4543, 1.3752, 2.9142,
                                25.4785, 1.4948, 3.4077, 100.5947, 1.6344, 4.0752 };
    struct durations d = { 0 };
    struct err e = { 0 };
    struct fit f;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        add(&d, x[i], false);
    fit_law(&f, family("pareto"), &d, &e);
    ok(delay_param(&f.law, "scale") == 1.0322 &&
           fabs(delay_param(&f.law, "shape") - 0.8356) < 5e-5 && delay_mean(&f.law) == INFINITY,
       "a tail without a mean is found: %s", f.law.text);
    fit_free(&f);
    durations_free(&d);
}

static const struct fit *of(const struct fits *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->v[i].row->plug.name, name) == 0)
            return &f->v[i];
    return NULL;
}

static void test_impossible(void)
{
    struct durations d = { 0 };
    struct fits f = { 0 };
    struct err e = { 0 };
    for (int i = 0; i < 5; i++)
        add(&d, 2, false);
    ok(fits_open(&f, &d, &e) == 0 && strcmp(f.v[0].law.text, "const:value=2") == 0 && f.v[0].ks == 0 &&
           of(&f, "weibull")->law.plug == NULL && strstr(of(&f, "weibull")->why.text, "alike"),
       "what never varies is constant, and no law that varies");
    fits_free(&f);
    add(&d, 0, false);
    ok(fits_open(&f, &d, &e) == 0 && of(&f, "const")->law.plug == NULL &&
           of(&f, "pareto")->law.plug == NULL && of(&f, "lognormal")->law.plug == NULL &&
           of(&f, "exp")->law.plug && strstr(of(&f, "gamma")->why.text, "a duration is 0"),
       "a duration of 0 is none of a law that has none");
    fits_free(&f);
    d.n = 0;
    add(&d, 1e300, false);
    add(&d, 1e-300, false);
    fits_open(&f, &d, &e);
    ok(isfinite(f.v[0].aic) && of(&f, "gamma")->law.plug == NULL,
       "a likelihood that no number holds is none: %s", of(&f, "gamma")->why.text);
    fits_free(&f);
    durations_free(&d);
}

static void test_alike(void)
{
    static const char *const specs[] = { "exp:1", "exp:3", "exp:1", "exp:3", "const:1", "exp:1", "const:1" };
    struct durations d = { 0 };
    struct err e = { 0 };
    struct alike a = { 0 };
    for (uint64_t i = 0; i < 200; i++)
        for (uint64_t w = 0; w < 7; w++) {
            struct spec s = { 0 };
            spec_parse(&s, &delay_table, specs[w], &e);
            durations_add(&d, &(struct duration){ delay_of(&s, 2, w, i), w, false }, &e);
            spec_free(&s);
        }
    durations_add(&d, &(struct duration){ 0.5, 8, false }, &e);
    durations_add(&d, &(struct duration){ 7, 9, true }, &e);
    char *range[3] = { NULL };
    int status = alike_open(&a, &d, &e);
    for (size_t i = 0; i < 3 && i < a.n; i++)
        range[i] = alike_range(&a.v[i], &e);
    ok(status == 0 && a.n == 3 && a.unknown == 1 && same_text(range[0], "0,2,5,8") &&
           same_text(range[1], "1,3") && same_text(range[2], "4,6"),
       "workers of the same law are found among others; one duration divides nobody, none says nothing");
    for (size_t i = 0; i < 3; i++)
        free(range[i]);
    alike_free(&a);
    d.v[3].worker = UINT64_MAX;
    ok(alike_open(&a, &d, &e) < 0 && e.kind == ERR_DATA, "refused: %s", e.text);
    durations_free(&d);
}

int main(void)
{
    test_recovery();
    test_censored_mean();
    test_order();
    test_chance();
    test_heavy();
    test_impossible();
    test_alike();
    return tap_done();
}
