/* Minima and curvatures of functions whose answers are known. */
#include <math.h>

#include "base/descent.h"
#include "base/rng.h"
#include "base/spectrum.h"
#include "lib/tap.h"

enum { N = 40 };

static bool near(double got, double want, double off)
{
    bool held = fabs(got - want) <= off * fabs(want);
    if (!held)
        printf("# got %.17g, want %.17g\n", got, want);
    return held;
}

/* A symmetric operator with eigenvalues a[i]: a diagonal between two reflections about u. */
struct turned {
    double a[N], u[N];
};

static void reflect(const struct turned *t, double *x)
{
    double along = 0;
    for (int i = 0; i < N; i++)
        along += t->u[i] * x[i];
    for (int i = 0; i < N; i++)
        x[i] -= 2 * along * t->u[i];
}

static void times(void *self, const double *x, double *y)
{
    const struct turned *t = self;
    memcpy(y, x, sizeof t->a);
    reflect(t, y);
    for (int i = 0; i < N; i++)
        y[i] *= t->a[i];
    reflect(t, y);
}

static struct turned turned(void)
{
    struct turned t = { { 0 }, { 0 } };
    double norm = 0;
    for (int i = 0; i < N; i++) {
        t.u[i] = sin(i + 1);
        norm += t.u[i] * t.u[i];
    }
    for (int i = 0; i < N; i++)
        t.u[i] /= sqrt(norm);
    return t;
}

static void start_of(const struct turned *t, double *start)
{
    double x[N];
    for (int i = 0; i < N; i++)
        x[i] = cos(3 * i);
    times((void *)t, x, start);
}

static void test_spectrum(void)
{
    struct turned t = turned();
    struct spectrum s;
    struct err e = { 0 };
    double start[N];
    for (int i = 0; i < N; i++)
        t.a[i] = 0.25 + i * i;
    start_of(&t, start);
    ok(spectrum_ends(&s, times, &t, N, start, 200, &e) == 0 && near(s.largest.value, t.a[N - 1], 1e-12) &&
           s.largest.settled, "the largest eigenvalue");
    ok(near(s.least.value, 0.25, 1e-9) && s.least.settled && s.products <= N, "the least one");
    for (int i = 0; i < 10; i++)
        t.a[i] = 0;
    start_of(&t, start);
    ok(spectrum_ends(&s, times, &t, N, start, 200, &e) == 0 && near(s.least.value, 100.25, 1e-9),
       "directions that are flat are not the least");
    for (int i = 0; i < N; i++)
        t.a[i] = i % 2 ? 3 : 0.5;
    start_of(&t, start);
    ok(spectrum_ends(&s, times, &t, N, start, 200, &e) == 0 && s.products == 2 && s.least.settled &&
           near(s.largest.value, 3, 1e-12) && near(s.least.value, 0.5, 1e-12),
       "two eigenvalues take two products, however often they occur");
    for (int i = 0; i < N; i++)
        t.a[i] = pow(10, -i / 10.);
    start_of(&t, start);
    ok(spectrum_ends(&s, times, &t, N, start, 4, &e) == 0 && s.products == 4 && !s.least.settled &&
           s.least.value > t.a[N - 1], "too few products leave the least eigenvalue open, and too large");
    memset(start, 0, sizeof start);
    ok(spectrum_ends(&s, times, &t, N, start, 4, &e) == 0 && isnan(s.largest.value) && isnan(s.least.value),
       "nothing comes of nothing");
}

/* sum_i 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2: a bent valley, its floor is 0 at 1, 1, ... */
static double valley(void *self, const double *x, double *g)
{
    double sum = 0;
    ++*(unsigned *)self;
    memset(g, 0, sizeof(double[N]));
    for (int i = 0; i + 1 < N; i++) {
        double off = x[i + 1] - x[i] * x[i];
        sum += 100 * off * off + (1 - x[i]) * (1 - x[i]);
        g[i] += -400 * off * x[i] - 2 * (1 - x[i]);
        g[i + 1] += 200 * off;
    }
    return sum;
}

/* sum_i (i + 1) |x_i - i|: kinks only. */
static double roof(void *self, const double *x, double *g)
{
    double sum = 0;
    ++*(unsigned *)self;
    for (int i = 0; i < N; i++) {
        sum += (i + 1) * fabs(x[i] - i);
        g[i] = x[i] > i ? i + 1 : -(i + 1);
    }
    return sum;
}

/* Only x > 0 is in bounds; the minimum is 1. */
static double barrier(void *self, const double *x, double *g)
{
    double sum = 0;
    (void)self;
    for (int i = 0; i < N; i++) {
        sum += x[i] > 0 ? x[i] - log(x[i]) : NAN;
        g[i] = 1 - 1 / x[i];
    }
    return sum;
}

static void test_descent(void)
{
    struct descent d;
    struct err e = { 0 };
    unsigned values = 0;
    double x[N] = { 0 };
    ok(descend(&d, valley, &values, N, x, 1000, &e) == 0 && d.value < 1e-10 && near(x[N - 1], 1, 1e-4) &&
           d.square < 1e-8 && d.values == values, "the end of a bent valley");
    memset(x, 0, sizeof x);
    values = 0;
    descend(&d, valley, &values, N, x, 20, &e);
    ok(values >= 20 && values < 60 && d.value > 1, "no more values than asked for, but for the last line");
    memset(x, 0, sizeof x);
    descend(&d, roof, &values, N, x, 3000, &e);
    ok(d.value < 0.01 * N * N, "a roof upside down (%g of 21320)", d.value);
    for (int i = 0; i < N; i++)
        x[i] = 0.01 + 3. * i;
    ok(descend(&d, barrier, NULL, N, x, 1000, &e) == 0 && near(d.value, N, 1e-9),
       "a value that is no number is no place to go");
}

int main(void)
{
    test_spectrum();
    test_descent();
    return tap_done();
}
