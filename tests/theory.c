/* Runtime, staleness, waste, error and AdaSync, against the numbers of the theory's tables. */
#include <math.h>
#include <stdlib.h>

#include "lib/tap.h"
#include "theory/adasync.h"
#include "theory/error.h"
#include "theory/runtime.h"

static bool near(double got, double want, double off)
{
    bool held = got == want || fabs(got - want) <= off * fabs(want);
    if (!held)
        printf("# got %.17g, want %.17g\n", got, want);
    return held;
}

static struct runtime ask(const struct runtime_policy *p, uint64_t workers, size_t n, const char **specs)
{
    struct delays d = { 0 };
    struct err e = { 0 };
    struct text_list list = { .v = specs, .n = n };
    struct runtime r = { .mean = NAN };
    if (delays_open(&d, &list, workers, &e) < 0 || runtime_of(&r, p, &d, &e) < 0)
        printf("# %s\n", e.text);
    delays_close(&d);
    return r;
}

static struct runtime of(const char *policy, uint64_t k, uint64_t workers, const char *spec)
{
    return ask(&(struct runtime_policy){ .name = policy, .k = k }, workers, 1, &spec);
}

/* P = 8, K = 4 (THEORY 2.2), where a formula says it. */
static void test_table(void)
{
    static const struct {
        const char *policy, *spec;
        double mean, off;
        enum method method;
    } rows[] = {
        { "sync", "exp:1", 2.717857, 1e-6, METHOD_EXACT },
        { "k-sync", "exp:1", 0.634524, 1e-6, METHOD_EXACT },
        { "k-batch-sync", "exp:1", 0.5, 1e-15, METHOD_EXACT },
        { "k-async", "exp:1", 0.634524, 1e-6, METHOD_EXACT },
        { "k-batch-async", "exp:1", 0.5, 1e-15, METHOD_EXACT },
        { "async", "exp:1", 0.125, 1e-15, METHOD_EXACT },
        { "k-sync", "shifted-exp:1,1", 1.634524, 1e-6, METHOD_EXACT },
        { "k-batch-sync", "shifted-exp:1,1", 1.6312, 1e-4, METHOD_NUMERIC },
        { "k-async", "shifted-exp:1,1", 1.634524, 1e-6, METHOD_BOUND },
        { "k-batch-async", "shifted-exp:1,1", 1, 1e-15, METHOD_EXACT },
        { "k-sync", "pareto:1,2", 1.392385, 1e-6, METHOD_EXACT },
        { "k-async", "pareto:1,2", NAN, 0, METHOD_SIMULATED },
        { "k-batch-async", "pareto:1,1.2", 3, 1e-12, METHOD_EXACT },
        { "k-sync", "weibull:1,0.7", 0.561665, 1e-6, METHOD_NUMERIC },
        { "k-async", "weibull:1,2", 0.771521, 1e-6, METHOD_BOUND },
        { "k-async", "weibull:1,0.7", NAN, 0, METHOD_SIMULATED },
        { "k-batch-async", "hyperexp:0.9,0.5,5", 0.475, 1e-12, METHOD_EXACT },
        { "k-batch-sync", "hyperexp:0.9,0.5,5", 0.367465, 1e-6, METHOD_BOUND },
        { "sync", "pareto:1,0.8", INFINITY, 0, METHOD_EXACT },
        { "async", "pareto:1,0.8", INFINITY, 0, METHOD_EXACT },
        { "k-async", "pareto:1,0.8", INFINITY, 0, METHOD_EXACT },
        { "k-batch-async", "pareto:1,0.8", INFINITY, 0, METHOD_EXACT },
        { "k-sync", "pareto:1,0.8", 2.430, 1e-4, METHOD_EXACT },
        { "k-async", "const:1", 0.5, 1e-15, METHOD_EXACT },
        { "k-batch-sync", "const:1", 1, 1e-15, METHOD_EXACT },
        { "ssp", "exp:1", 2.717857 / 8, 1e-6, METHOD_EXACT },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct runtime r = of(rows[i].policy, 4, 8, rows[i].spec);
        bool same = isnan(rows[i].mean) ? isnan(r.mean) : near(r.mean, rows[i].mean, rows[i].off);
        ok(same && r.method == rows[i].method && r.lower <= r.upper,
           "%s of %s: %g, %s", rows[i].policy, rows[i].spec, r.mean, method_names[r.method]);
    }
}

/* Shifted exponential, D = 1: simulated 2.4066, 3.6522, 1.6677. */
static void test_batch(void)
{
    const char *spec = "shifted-exp:1,1";
    ok(near(of("k-batch-sync", 7, 8, spec).mean, 2.4062, 3e-5) &&
           near(of("k-batch-sync", 12, 8, spec).mean, 3.6527, 3e-5) &&
           near(of("k-batch-sync", 10, 20, spec).mean, 1.6678, 3e-5), "k-batch-sync by convolution");
    ok(near(of("k-batch-sync", 12, 8, "shifted-exp:1ns,1").mean, 1.5, 1e-7),
       "without a shift worth the name it is Erlang's");
    ok(near(of("k-batch-sync", 12, 1, spec).mean, 24, 1e-12), "one worker does all");
    struct runtime r = of("k-batch-sync", 12, 8, "weibull:1,2");
    ok(r.method == METHOD_BOUND && near(r.lower, 1.5 * 0.88622692545275801, 1e-12) &&
           near(r.upper, 1.609208024 + 0.771521487, 1e-9), "more gradients than workers: bounds");
}

/* Fig. 6: 2000 updates of 20 workers, K = 1 5 10 15 18 20. */
static void test_figure(void)
{
    static const uint64_t k[] = { 1, 5, 10, 15, 18, 20 };
    static const double pareto[] = { 2051, 2305, 2811, 3926, 5982, 15953 };
    static const double shifted[] = { 2100, 2559, 3338, 4629, 6195, 9195 };
    static const double batch[] = { 200, 1000, 2000, 3000, 3600, 4000 };
    bool held = true;
    for (int i = 0; i < 6; i++)
        held = held && near(2000 * of("k-sync", k[i], 20, "pareto:1,2").mean, pareto[i], 3e-4) &&
               near(2000 * of("k-sync", k[i], 20, "shifted-exp:1,1").mean, shifted[i], 3e-4) &&
               near(2000 * of("k-batch-async", k[i], 20, "pareto:1,2").mean, batch[i], 1e-12) &&
               near(2000 * of("k-batch-async", k[i], 20, "shifted-exp:1,1").mean, batch[i], 1e-12);
    ok(held, "the closed forms of fig. 6");
}

static void test_degenerate(void)
{
    static const char *const specs[] = { "exp:1", "pareto:1,2", "weibull:1,2", "lognormal:0,1" };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        const char *s = specs[i];
        ok(of("k-sync", 8, 8, s).mean == of("sync", 0, 8, s).mean &&
               of("k-async", 8, 8, s).mean == of("sync", 0, 8, s).mean &&
               of("k-async", 1, 8, s).mean == of("async", 0, 8, s).mean &&
               of("k-batch-async", 1, 8, s).mean == of("async", 0, 8, s).mean &&
               of("k-batch-sync", 1, 8, s).mean == of("k-sync", 1, 8, s).mean,
           "policies that are others under certain K take as long: %s", s);
    }
    struct err e = { 0 };
    struct delays d = { 0 };
    struct runtime r;
    const char *spec = "exp:1";
    delays_open(&d, &(struct text_list){ .v = &spec, .n = 1 }, 8, &e);
    ok(runtime_of(&r, &(struct runtime_policy){ .name = "k-sync", .k = 9 }, &d, &e) < 0 &&
           e.kind == ERR_USAGE && strstr(e.text, "K=9 with 8 workers"), "refused: %s", e.text);
    ok(runtime_of(&r, &(struct runtime_policy){ .name = "lazy" }, &d, &e) < 0 && strstr(e.text, "'lazy'"),
       "refused: %s", e.text);
    delays_close(&d);
}

static struct runtime with_bound(const char *policy, uint64_t bound, bool drop, const char *spec)
{
    return ask(&(struct runtime_policy){ .name = policy, .bound = bound, .drop = drop }, 8, 1, &spec);
}

static void test_bounds(void)
{
    struct runtime r = with_bound("ssp", 1, false, "exp:1");
    ok(r.method == METHOD_BOUND && near(r.lower, 0.125, 1e-15) && near(r.mean, 2.717857 / 8, 1e-6),
       "ssp is between async and ssp:0");
    ok(with_bound("ssp", 3, false, "const:2").method == METHOD_EXACT &&
           with_bound("ssp", 3, false, "const:2").mean == 0.25, "equal workers never wait for each other");
    ok(with_bound("bounded", 1, false, "pareto:1,2").mean == of("k-sync", 1, 8, "pareto:1,2").mean,
       "bounded:1 is k-sync:1");
    ok(with_bound("bounded", 3, false, "exp:1").mean == 0.125 &&
           isnan(with_bound("bounded", 3, true, "exp:1").mean) &&
           with_bound("bounded", 3, true, "exp:1").lower == 0.125,
       "breaking off costs nothing when delays are memoryless, dropping does");
}

static void test_staleness(void)
{
    ok(of("k-async", 4, 8, "pareto:1,2").staleness == 1 &&
           near(of("k-async", 7, 8, "exp:1").staleness, 1. / 7, 1e-12) &&
           of("k-batch-async", 4, 8, "exp:1").staleness == 1.75 &&
           of("k-batch-async", 7, 8, "exp:1").staleness == 1 && of("async", 0, 8, "exp:1").staleness == 7 &&
           of("sync", 0, 8, "exp:1").staleness == 0 && of("k-batch-sync", 3, 8, "exp:1").staleness == 0,
       "mean staleness");
}

/* 1+exp(1): 12.0 of k-sync against 8.0; Weibull .7: 3.38 against 5.06. 0.7242, 0.4658: simulated .7244, .4656. */
static void test_work(void)
{
    struct runtime r = of("k-sync", 4, 8, "shifted-exp:1,1");
    ok(near(r.busy, 12, 1e-12) && near(r.wasted, 4 * 1.634524 / 12, 1e-6), "work of k-sync, and its waste");
    ok(near(of("k-sync", 4, 8, "weibull:1,0.7").busy, 3.38, 1e-3) &&
           near(of("k-async", 4, 8, "weibull:1,0.7").busy, 5.06, 1e-3), "breaking off can save work");
    ok(near(of("k-sync", 4, 8, "exp:1").busy, 4, 1e-12) &&
           near(of("k-batch-sync", 4, 8, "exp:1").busy, 4, 1e-12) &&
           near(of("k-async", 4, 8, "exp:1").busy, 4, 1e-12) &&
           near(of("k-batch-async", 4, 8, "exp:1").busy, 4, 1e-12), "the exponential: K mean everywhere");
    ok(of("sync", 0, 8, "exp:1").wasted == 0 && of("async", 0, 8, "exp:1").wasted == 0 &&
           near(of("k-batch-sync", 4, 8, "exp:1").wasted, 0.72418, 1e-4) &&
           near(of("k-batch-sync", 12, 8, "exp:1").wasted, 0.46584, 1e-4) &&
           near(of("k-batch-sync", 6, 4, "const:1").wasted, 0.25, 1e-12), "waste");
}

static void test_unequal(void)
{
    const char *specs[] = { "0-3=exp:1", "4-7=exp:2" };
    struct runtime_policy p = { .name = "k-batch-async", .k = 4 };
    ok(near(ask(&p, 8, 2, specs).mean, 4 / (4 + 2.), 1e-12), "K over the sum of rates");
    p.name = "k-batch-sync";
    ok(near(ask(&p, 8, 2, specs).mean, 4 / (4 + 2.), 1e-12), "so k-batch-sync, memoryless");
    p.name = "k-async";
    struct runtime r = ask(&p, 8, 2, specs);
    p.name = "k-sync";
    ok(r.mean == ask(&p, 8, 2, specs).mean && r.method == METHOD_NUMERIC, "k-async as k-sync, memoryless");
}

/* THEORY 8: P=8, exp(1), eta=.05, L=1, c=.1, sigma^2=1, F0=50, m=1. */
static double clock_to(double target, uint64_t k)
{
    struct objective o = { .L = 1, .c = 0.1, .sigma2 = 1, .gap = 50, .m = 1 };
    struct updates u = { .eta = 0.05, .k = (double)k };
    return error_updates(&o, &u, target) * of("k-sync", k, 8, "exp:1").mean;
}

static uint64_t fastest(double target)
{
    uint64_t best = 1;
    for (uint64_t k = 2; k <= 8; k++)
        if (clock_to(target, k) < clock_to(target, best))
            best = k;
    return best;
}

static void test_plan(void)
{
    ok(fastest(5) == 1 && near(clock_to(5, 1), 59, 0.01) && near(clock_to(5, 8), 1252, 1e-3),
       "a coarse target wants K = 1");
    ok(fastest(0.1) == 3 && near(clock_to(0.1, 3), 694, 1e-3) && clock_to(0.1, 1) == INFINITY &&
           clock_to(0.1, 2) == INFINITY, "a finer one K = 3; fewer never reach it");
    ok(fastest(0.05) == 6 && near(clock_to(0.05, 6), 2113, 1e-3), "a fine one K = 6");
}

static void test_error(void)
{
    struct objective o = { .L = 1, .c = 0.01, .gap = 0.5, .m = 1, .p0 = 1 };
    struct updates sync = { .eta = 0.5, .k = 8 }, stale = { .eta = 0.5, .k = 8, .stale = true };
    ok(error_contraction(&o, &sync) == 1 && error_contraction(&o, &stale) == 1.5, "gamma' = 1 - gamma + p0/2");
    ok(error_ceiling(&o, &sync) == 0.5 && error_ceiling(&o, &stale) == 0.5,
       "K does not raise the ceiling of the step: eta = K / (2 L) diverges");
    o.m_g = 4;
    ok(error_ceiling(&o, &stale) == 1 / (2 * 1.5), "noise that grows with the gradient lowers it");
    o.c = 100;
    ok(error_ceiling(&o, &sync) == 0.01 && near(error_ceiling(&o, &stale), 0.01 / 1.5, 1e-15),
       "the least of both ceilings");
    o = (struct objective){ .L = 2, .c = 0.1, .sigma2 = 3, .gap = 50, .m = 4, .gamma = 0.2, .p0 = 0.1 };
    stale.eta = 0.05;
    double floor = 0.05 * 2 * 3 / (2 * 0.1 * 0.85 * 8 * 4);
    ok(near(error_floor(&o, &stale), floor, 1e-14), "the floor of theorem 3");
    double count = error_updates(&o, &stale, 1);
    ok(near(error_bound(&o, &stale, count), 1, 1e-12) && error_bound(&o, &stale, count + 1) < 1,
       "the bound is at its target after the updates that it says");
    ok(error_updates(&o, &stale, 50) == 0 && error_updates(&o, &stale, error_floor(&o, &stale)) == INFINITY,
       "no update for what is there, no end for what is below the floor");
    ok(near(error_gradient(&o, &stale, 99), 2 * 50 / (100 * 0.05 * 0.85) + 2 * 0.05 * 3 / (8 * 4 * 0.85), 1e-14),
       "theorem 5");
    ok(near(error_variable_floor(&o, 0.05, 1e-3), (1e-3 * 4 / 2 + 0.0025 * 2 * 3 / 8) / (0.05 * 0.1 * 1.05), 1e-14),
       "the floor of theorem 4");
    double a[10];
    for (int i = 0; i < 10; i++)
        a[i] = 1 - 0.1 * i; /* kappa = 10 */
    double exact = error_quadratic_floor(a, 10, 0.05, 0.1);
    ok(near(exact, 0.05 * 0.1 / 4 * 10, 0.05) && exact < 0.05 / (2 * 0.1), "the exact floor is far below the bound");
}

static void test_p0(void)
{
    static const struct {
        const char *spec;
        double p0;
    } rows[] = { { "exp:1", 0.125 }, { "weibull:1,0.7", 0.125 }, { "hyperexp:0.5,1,2", 0.125 },
                 { "shifted-exp:1,1", 0 }, { "weibull:1,2", 0 }, { "pareto:1,2", 0 }, { "const:1", 0 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct delays d = { 0 };
        struct err e = { 0 };
        const char *spec = rows[i].spec;
        delays_open(&d, &(struct text_list){ .v = &spec, .n = 1 }, 8, &e);
        ok(error_p0(&d) == rows[i].p0, "p0 of %s is %g", spec, rows[i].p0);
        delays_close(&d);
    }
}

/* THEORY 5's rows for P = 8. */
static void test_adasync(void)
{
    static const double fall[] = { 1, .7, .5, .3, .2, .1, .05, .01 };
    static const double sync[] = { 1, 1.18, 1.38, 1.73, 2.06, 2.74, 3.56, 5.71 };
    static const double batch[] = { 1, 1.20, 1.41, 1.83, 2.24, 3.16, 4.47, 10 };
    static const double from2[] = { 2, 2.32, 2.67, 3.25, 3.76, 4.69, 5.63, 7.22 };
    struct adasync one = { 0 }, two = { 0 }, b = { 0 };
    struct err e = { 0 };
    adasync_open(&one, "k-sync", 1, 0, 8, NULL, &e);
    adasync_open(&two, "k-async", 2, 0, 8, NULL, &e);
    adasync_open(&b, "k-batch-async", 1, 100, 8, NULL, &e);
    for (size_t i = 0; i < sizeof fall / sizeof *fall; i++)
        ok(fabs(adasync_ideal(&one, fall[i]) - sync[i]) < 0.0051 &&
               fabs(adasync_ideal(&b, fall[i]) - batch[i]) < 0.0051 &&
               fabs(adasync_ideal(&two, fall[i]) - from2[i]) < 0.0051,
           "K when the loss is %g of the first", fall[i]);
    ok(adasync_choose(&one, 0.1) == 3 && adasync_choose(&b, 0.1) == 3 && adasync_choose(&b, 0.01) == 10,
       "rounded to the nearest; the batch form goes on above P");
    ok(adasync_choose(&one, 0) == 8 && adasync_choose(&one, -1) == 8 && adasync_choose(&one, NAN) == 1 &&
           adasync_choose(&one, 1e-300) == 8 && adasync_choose(&one, 1e300) == 1 &&
           adasync_choose(&two, 1.5) == 2 && adasync_choose(&two, 4) == 1 && adasync_choose(&b, 1e-300) == 100,
       "every loss gives a K between 1 and the most, one that rises a smaller one");
    adasync_close(&one);
    adasync_open(&one, "k-sync", 8, 0, 8, NULL, &e);
    ok(adasync_choose(&one, 0.01) == 8 && adasync_choose(&one, 5) == 8, "K0 = P stays P");
    adasync_close(&one);
    adasync_close(&two);
    adasync_close(&b);
}

/* Where no closed rule is known the least over all K; for the exponential that is the closed rule, too. */
static void test_adasync_other(void)
{
    static const struct {
        const char *spec;
        uint64_t k0;
    } rows[] = { { "weibull:1,1", 1 }, { "weibull:1,1", 3 }, { "pareto:1,2", 2 }, { "pareto:1,0.8", 2 },
                 { "uniform:1,3", 4 } };
    struct err e = { 0 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct delays d = { 0 };
        struct adasync a = { 0 }, closed = { 0 };
        const char *spec = rows[i].spec;
        delays_open(&d, &(struct text_list){ .v = &spec, .n = 1 }, 8, &e);
        adasync_open(&a, "k-sync", rows[i].k0, 0, 8, &d, &e);
        adasync_open(&closed, "k-sync", rows[i].k0, 0, 8, NULL, &e);
        bool held = a.seconds && adasync_choose(&a, 1) == rows[i].k0;
        uint64_t last = 1, k = 1;
        for (double fall = 4; fall > 1e-4 && held; fall *= 0.9, last = k) {
            k = adasync_choose(&a, fall);
            double off = (double)k - adasync_ideal(&closed, fall);
            held = k >= last && k <= 8 && (i > 1 || fabs(off) < 1.2);
            if (!held)
                printf("# fall %g: K %d\n", fall, (int)k);
        }
        ok(held && (i == 3 ? last < 8 : last >= 7),
           "%s from K0=%d: starts there, grows as the loss falls%s", spec, (int)rows[i].k0,
           i == 3 ? ", never to an infinite time" : "");
        adasync_close(&closed);
        adasync_close(&a);
        delays_close(&d);
    }
}

int main(void)
{
    test_table();
    test_batch();
    test_figure();
    test_degenerate();
    test_bounds();
    test_staleness();
    test_work();
    test_unequal();
    test_plan();
    test_error();
    test_p0();
    test_adasync();
    test_adasync_other();
    return tap_done();
}
