/* The laws of delays: their SPECs, their shapes, and that a delay belongs to its minibatch. */
#include <math.h>
#include <stdlib.h>

#include "delay/delay.h"
#include "delay/delays.h"
#include "delay/empirical.h"
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

/* One of each family but the empirical, and whether it has a density. */
static const struct {
    const char *spec;
    bool dense;
} every[] = {
    { "const:2s", false },
    { "exp:mean=2s", true },
    { "shifted-exp:shift=1s,mean=2s", true },
    { "pareto:scale=2s,shape=2.5", true },
    { "weibull:scale=2s,shape=0.7", true },
    { "weibull:scale=2s,shape=3", true },
    { "gamma:shape=0.3,scale=2s", true },
    { "gamma:shape=40,scale=10ms", true },
    { "lognormal:mu=-1,sigma=0.8", true },
    { "uniform:min=1s,max=3s", true },
    { "hyperexp:p=0.9,mean1=0.5s,mean2=5s", true },
};
enum { EVERY = sizeof every / sizeof *every };

static bool within(double a, double b, double off)
{
    return fabs(a - b) <= off;
}

/* P(X <= x) and P(X > x) at the quantiles, near both ends too; the density is the slope. */
static bool consistent(const struct spec *s, bool dense)
{
    static const double tiny[] = { 1e-30, 1e-12, 1e-3, 0.2, 0.5 };
    for (size_t i = 0; dense && i < 2 * sizeof tiny / sizeof *tiny; i++) {
        double small = tiny[i / 2], p = i % 2 ? 1 - small : small, q = i % 2 ? small : 1 - small;
        double x = delay_quantile(s, p, q), step = 1e-5 * x, least = delay_quantile(s, 0, 1);
        double slope = (delay_cdf(s, x + step) - delay_cdf(s, x - step)) / (2 * step);
        if (q < 0.5)
            slope = -(exp(delay_logtail(s, x + step)) - exp(delay_logtail(s, x - step))) / (2 * step);
        /* near a least or a greatest delay x has no more digits */
        bool at_end = small < 1e-6 && (q < p ? delay_quantile(s, 1, 0) < INFINITY : least > 0);
        double log_q = p < q ? log1p(-p) : log(q);
        bool held = at_end || (within(delay_cdf(s, x) / p, 1, 1e-9) &&
                          within(delay_logtail(s, x), log_q, 1e-9 * -log_q) &&
                          within(delay_logpdf(s, x), log(slope), 1e-3));
        if (!held) {
            printf("# p=%g q=%g x=%g cdf=%g logtail=%g logpdf=%g log slope=%g\n", p, q, x,
                   delay_cdf(s, x), delay_logtail(s, x), delay_logpdf(s, x), log(slope));
            return false;
        }
    }
    return true;
}

/* Kolmogorov's distance of N draws: beyond 1.63 / sqrt(N) once in a hundred laws. */
static double drawn_distance(const struct spec *s, double *x, double *mean)
{
    double greatest = 0;
    *mean = 0;
    for (size_t k = 0; k < N; k++)
        *mean += (x[k] = delay_of(s, 11, 0, k)) / N;
    qsort(x, N, sizeof *x, ascending);
    for (size_t k = 0; k < N; k++) {
        double below = delay_cdf(s, nextafter(x[k], -1)), at = delay_cdf(s, x[k]);
        if (k > 0 && x[k] == x[k - 1])
            below = (double)k / N; /* ties of a law with jumps */
        greatest = fmax(greatest, fmax((double)k / N - below, at - (double)(k + 1) / N));
        if (k + 1 < N && x[k] == x[k + 1])
            greatest = fmin(greatest, 0);
    }
    return greatest;
}

static void test_every_law(void)
{
    double *x = malloc(N * sizeof *x), mean;
    size_t families = 0;
    for (size_t i = 0; i < EVERY; i++) {
        struct spec s = { 0 };
        struct err e = { 0 };
        if (!ok(parse(&s, every[i].spec) == 0, "%s is understood", every[i].spec))
            continue;
        ok(consistent(&s, every[i].dense), "%s: cdf, tail, quantile and density agree", every[i].spec);
        ok(drawn_distance(&s, x, &mean) < 1.63 / sqrt(N), "%s: draws follow its cdf", every[i].spec);
        double sd = 0;
        for (size_t k = 0; k < N; k++)
            sd += pow(x[k] - mean, 2) / N;
        ok(within(mean, delay_mean(&s), 3.5 * sqrt(sd / N) + 1e-9), "%s: draws have its mean", every[i].spec);
        char *text = delay_text(delay_row(&s), s.conf, &e);
        struct spec back = { 0 };
        ok(text && parse(&back, text) == 0 && memcmp(back.conf, s.conf, s.plug->conf) == 0,
           "%s reads back as %s", every[i].spec, text);
        families += i == 0 || strcspn(every[i].spec, ":") != strcspn(every[i - 1].spec, ":") ||
                    strncmp(every[i].spec, every[i - 1].spec, strcspn(every[i].spec, ":")) != 0;
        free(text);
        spec_free(&back);
        spec_free(&s);
    }
    for (const struct plug *const *row = delay_table.rows; *row; row++)
        families--;
    ok(families == (size_t)-2, "every row of the table but those of files was looked at");
    free(x);
}

/* A run of before must stay a run of now. */
static void test_same_draws(void)
{
    static const struct {
        const char *spec;
        double here, there; /* seed 1, rank 3, index 7; seed 9, rank 0, index 123456789 */
    } rows[] = {
        { "const:20ms", 0x1.47ae147ae147bp-6, 0x1.47ae147ae147bp-6 },
        { "exp:mean=20ms", 0x1.3f14c7e715675p-4, 0x1.961211d0183d7p-11 },
        { "shifted-exp:shift=10ms,mean=10ms", 0x1.91004d05cdb94p-5, 0x1.545ea5096209ap-7 },
        { "pareto:scale=10ms,shape=2.5", 0x1.8511aa2749e65p-5, 0x1.4ccb9f50dd83ap-7 },
        { "uniform:min=10ms,max=30ms", 0x1.55030428d6d58p-7, 0x1.df12a728541ecp-6 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct spec s = { 0 };
        ok(parse(&s, rows[i].spec) == 0 && within(delay_of(&s, 1, 3, 7) / rows[i].here, 1, 1e-15) &&
               within(delay_of(&s, 9, 0, 123456789) / rows[i].there, 1, 1e-15),
           "%s draws what it always drew", rows[i].spec);
        spec_free(&s);
    }
}

static void test_properties(void)
{
    static const struct {
        const char *spec;
        double mean, index;
        unsigned ageing;
    } rows[] = {
        { "const:2", 2, INFINITY, DELAY_NLU },
        { "exp:2", 2, INFINITY, DELAY_NLU | DELAY_NSU },
        { "shifted-exp:1,2", 3, INFINITY, DELAY_NLU },
        { "pareto:2,2.5", 2 * 2.5 / 1.5, 2.5, 0 },
        { "pareto:1,1", INFINITY, 1, 0 },
        { "pareto:1,0.8", INFINITY, 0.8, 0 },
        { "weibull:1,2", 0.88622692545275801, INFINITY, DELAY_NLU },
        { "weibull:1,0.5", 2, INFINITY, DELAY_NSU },
        { "gamma:4,0.5", 2, INFINITY, DELAY_NLU },
        { "gamma:0.5,4", 2, INFINITY, DELAY_NSU },
        { "lognormal:0,2", 7.38905609893065, INFINITY, 0 },
        { "uniform:1,3", 2, INFINITY, DELAY_NLU },
        { "hyperexp:0.9,1,11", 2, INFINITY, DELAY_NSU },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct spec s = { 0 };
        ok(parse(&s, rows[i].spec) == 0 &&
               (delay_mean(&s) == rows[i].mean || within(delay_mean(&s), rows[i].mean, 1e-12)) &&
               delay_tail_index(&s) == rows[i].index && delay_ageing(&s) == rows[i].ageing,
           "%s: mean %g, tail and ageing", rows[i].spec, delay_mean(&s));
        spec_free(&s);
    }
    struct spec none = { 0 };
    ok(delay_mean(&none) == 0 && delay_cdf(&none, 0) == 1 && delay_quantile(&none, 0.5, 0.5) == 0 &&
           delay_is(&none, "const"), "without a SPEC the law is a delay of 0");
}

/* A file of that text; its name, with a comma and an equals sign in it. */
static const char *file(const char *text)
{
    static const char name[] = "tests-delay,a=b.txt";
    FILE *f = fopen(name, "w");
    if (f)
        fputs(text, f);
    if (f)
        fclose(f);
    return name;
}

static int parse_file(struct spec *s, const char *text, struct err *e)
{
    char spec[80];
    snprintf(spec, sizeof spec, "empirical:%s", file(text));
    int status = spec_parse(s, &delay_table, spec, e);
    remove("tests-delay,a=b.txt");
    return status;
}

static void test_empirical(void)
{
    struct spec s = { 0 };
    struct err e = { 0 };
    ok(parse_file(&s, "delay\n3\n1s\n2000ms\n2\n", &e) == 0, "a column of durations is a law %s", e.text);
    ok(delay_cdf(&s, 0.9) == 0 && delay_cdf(&s, 1) == 0.25 && delay_cdf(&s, 2) == 0.75 &&
           delay_cdf(&s, 3) == 1 && delay_mean(&s) == 2 && delay_quantile(&s, 0.25, 0.75) == 1 &&
           delay_quantile(&s, 0.26, 0.74) == 2 && delay_quantile(&s, 1, 0) == 3,
       "its steps are at the durations");
    double sum = 0;
    for (size_t k = 0; k < N; k++)
        sum += delay_of(&s, 1, 0, k) / N;
    ok(within(sum, 2, 0.02), "its draws have its mean");
    ok(parse_file(&s, "1\t0\n1.5\t1\n2\t0\n3\t0\n3\t1\n", &e) == 0 && within(delay_cdf(&s, 1), 0.2, 1e-15) &&
           within(delay_cdf(&s, 2), 1 - 0.8 * 2 / 3, 1e-15) && empirical_steps(&s)->known == 3 &&
           delay_cdf(&s, 3) == 1,
       "what was cut short counts for as long as it lasted (Kaplan and Meier)");
    static const struct {
        const char *text, *why;
    } bad[] = {
        { "1\n-2\n", ":2: '-2': a duration cannot be negative" },
        { "1\nnan\n", ":2: 'nan'" },
        { "inf\n1\n", ":1: 'inf'" },
        { "1,2\n", ":1: '2' behind the duration" },
        { "delay\n", "no completed duration" },
        { "2 1\n", "no completed duration" },
        { "# dsgd-trace 1 \n", "must hold a JSON object" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        e = (struct err){ 0 };
        ok(parse_file(&s, bad[i].text, &e) < 0 && e.kind == ERR_DATA && strstr(e.text, bad[i].why),
           "refused: %s", e.text);
    }
    e = (struct err){ 0 };
    ok(spec_parse(&s, &delay_table, "empirical:no/such", &e) < 0 && e.kind == ERR_SYSTEM,
       "a file that is not there: %s", e.text);
    spec_free(&s);
}

/* Worker 0: 1 2, worker 2: 5; 9 was cut short. */
static void test_recorded(void)
{
    static const char trace[] =
        "# dsgd-trace 1 {}\n"
        "time\tevent\tworker\tseq\tversion\titeration\tstaleness\trows\tcompute\tdelay\tloss\tnote\n"
        "1\tpush\t0\t0\t0\t0\t0\t1\t0.25\t0.75\tNA\tNA\n"
        "5\tpush\t2\t0\t0\t0\t0\t1\t0\t5\tNA\tNA\n"
        "6\tpush\t0\t1\t0\t0\t0\t1\t2\t0\tNA\tNA\n"
        "9\tcancelled\t1\t0\tNA\tNA\tNA\tNA\t9\t0\tNA\tNA\n";
    const char *name = file(trace);
    struct spec s = { 0 };
    struct err e = { 0 };
    char spec[80];
    snprintf(spec, sizeof spec, "recorded:%s", name);
    int status = spec_parse(&s, &delay_table, spec, &e);
    remove(name);
    if (!ok(status == 0, "a trace is a law, worker by worker %s", e.text))
        return;
    ok(delay_of(&s, 1, 0, 0) == 1 && delay_of(&s, 1, 0, 1) == 2 && delay_of(&s, 9, 0, 2) == 1 &&
           delay_of(&s, 1, 2, 0) == 5 && delay_of(&s, 1, 2, 7) == 5,
       "each worker has its own, in their order, again and again");
    ok(delay_of(&s, 1, 1, 0) == 5 && delay_of(&s, 1, 4, 1) == 2, "a worker that is not there has another's");
    ok(delay_cdf(&s, 1) == 0.25 && delay_cdf(&s, 8) == 0.75 && delay_quantile(&s, 1, 0) == 9 &&
           empirical_steps(&s), "its distribution is the empirical one");
    spec_free(&s);
}

static int open_delays(struct delays *d, uint64_t workers, const char *a, const char *b, struct err *e)
{
    const char *texts[] = { a, b };
    struct text_list list = { .v = texts, .n = (a != NULL) + (b != NULL) };
    *e = (struct err){ 0 };
    return delays_open(d, &list, workers, e);
}

static void test_ranges(void)
{
    struct delays d = { 0 };
    struct err e;
    ok(open_delays(&d, 8, "2-4,7=exp:1s", "const:2s", &e) == 0 && d.laws == 2 && d.ranges == 4 &&
           delay_is(delays_of(&d, 0), "const") && delay_is(delays_of(&d, 2), "exp") &&
           delay_is(delays_of(&d, 4), "exp") && delay_is(delays_of(&d, 5), "const") &&
           delay_is(delays_of(&d, 7), "exp") && d.law[0].workers == 4 && d.law[1].workers == 4,
       "RANGE=SPEC for some, SPEC for the rest %s", e.text);
    delays_close(&d);
    ok(open_delays(&d, 2, "0-1=exp:1s", "const:2s", &e) == 0 && d.laws == 1 && d.law[0].workers == 2,
       "a law that nobody has is not kept");
    delays_close(&d);
    ok(open_delays(&d, 3, NULL, NULL, &e) == 0 && d.laws == 1 && delay_mean(delays_of(&d, 2)) == 0,
       "no SPEC is no delay");
    delays_close(&d);
    static const struct {
        const char *a, *b, *why;
    } bad[] = {
        { "0-8=exp:1s", "exp:1s", "worker 8 with 8 workers (0 to 7)" },
        { "3-2=exp:1s", "exp:1s", "the first is the greater" },
        { "0-3=exp:1s", "3-7=exp:2s", "worker 3 is named twice" },
        { "0-3=exp:1s", "5-7=exp:2s", "worker 4 has no delay" },
        { "exp:1s", "exp:2s", "a second delay for all" },
        { "0-=exp:1s", NULL, "'0-': workers are N or N-M" },
        { "5", NULL, "'5': workers are N or N-M" },
        { "0-7=exp:0", NULL, "delay '0-7=exp:0': mean '0': must be greater than 0" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(open_delays(&d, 8, bad[i].a, bad[i].b, &e) < 0 && e.kind == ERR_USAGE &&
               strstr(e.text, bad[i].why), "refused: %s", e.text);
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
        { "exp:0", "greater than 0" },
        { "exp:nan", "not a duration" },
        { "exp:inf", "out of range" },
        { "shifted-exp:1,0", "greater than 0" },
        { "pareto:scale=0,shape=1", "greater than 0" },
        { "pareto:scale=1,shape=-1", "greater than 0" },
        { "pareto:scale=1,shape=nan", "not a number" },
        { "weibull:1,inf", "out of range" },
        { "gamma:0,1", "greater than 0" },
        { "lognormal:nan,1", "not a number" },
        { "lognormal:0,0", "greater than 0" },
        { "hyperexp:0,1,1", "greater than 0" },
        { "hyperexp:1,1,1", "less than 1" },
        { "empirical", "file" },
        { "empirical:", "empty" },
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
    test_every_law();
    test_same_draws();
    test_properties();
    test_empirical();
    test_recorded();
    test_ranges();
    return tap_done();
}
