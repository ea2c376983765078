/* Special functions and solvers against known values. */
#include <math.h>

#include "base/solve.h"
#include "base/special.h"
#include "lib/tap.h"

static bool near(double got, double want, double off)
{
    bool held = got == want || fabs(got - want) <= off * fabs(want);
    if (!held)
        printf("# got %.17g, want %.17g\n", got, want);
    return held;
}

static void test_psi(void)
{
    ok(near(digamma(0.1), -10.423754940411076, 1e-15) && near(digamma(1), -0.5772156649015329, 1e-15) &&
           near(digamma(7.5), 1.9467574842460866, 1e-15) && near(digamma(1000), 6.907255195648812, 1e-15),
       "psi");
    ok(near(harmonic(0, 8), 761. / 280, 1e-15) && harmonic(5, 5) == 0, "sums of 1/i");
    double sum = 0;
    for (int i = 100000; i > 90000; i--)
        sum += 1. / i;
    ok(near(harmonic(90000, 100000), sum, 1e-13), "sums of many 1/i are those of the sum itself");
}

static void test_gamma(void)
{
    ok(near(log_gamma_p(2.5, 0.3), -4.423118898554755, 1e-13) &&
           near(log_gamma_q(100, 200), -33.926896945131695, 1e-13) &&
           near(log_gamma_q(20, 3000), -2887.2125490645362, 1e-13) &&
           near(log_gamma_p(40, 1e-3), -386.6318264835156, 1e-13),
       "logarithms of the incomplete gamma functions, also where they are tiny");
    ok(near(log_gamma_q(1, 3), -3, 1e-14) && near(log_gamma_p(1, 1e-9), log(1e-9) - 5e-10, 1e-15),
       "of shape 1 they are the exponential's");
    ok(log_gamma_p(3, 0) == -INFINITY && log_gamma_q(3, 0) == 0 && log_gamma_q(3, INFINITY) == -INFINITY,
       "their ends");
    ok(near(gamma_quantile(0.3, 0.01, 0.99), 1.5022226552360407e-07, 1e-12) &&
           near(gamma_quantile(7, 1 - 1e-12, 1e-12), 43.88417289504629, 1e-12) &&
           near(gamma_quantile(1000, 0.4, 0.6), 991.6780855309853, 1e-12) &&
           gamma_quantile(2, 0, 1) == 0 && gamma_quantile(2, 1, 0) == INFINITY,
       "quantiles of the gamma law");
    for (int i = 0; i < 2; i++) {
        double x = i ? 12345 : 3;
        ok(near(log_gamma_ratio(x, 1), log(x), 1e-13), "gamma(%g + 1) is %g gamma(%g)", x, x, x);
    }
}

/* I_x(1, b) = 1 - (1-x)^b; I_1/2(a, a+1) = 1/2 + C(2a, a) / 2^(2a+1). */
static void test_beta(void)
{
    ok(near(beta_i(4, 5, 0.2, 0.8), 0.0562816, 1e-13) &&
           near(beta_i(0.5, 0.5, 0.01, 0.99), 0.06376856085851987, 1e-13) &&
           near(beta_i(300, 2, 0.99, 0.01), 0.19616357628516265, 1e-12),
       "the incomplete beta function");
    ok(near(beta_i(1, 1e5, 1e-5, 1 - 1e-5), 0.632122398233427759, 1e-14) &&
           near(beta_i(50000, 50001, 0.5, 0.5), 0.501261563107098370, 1e-13),
       "its large parameters cost no digits");
    ok(beta_i(2, 3, 0, 1) == 0 && beta_i(2, 3, 1, 0) == 1, "its ends");
}

static void test_normal(void)
{
    ok(near(log_normal_tail(1), -1.841021645009264, 1e-14) &&
           near(log_normal_tail(24.9), -314.1404127616133, 1e-14) &&
           near(log_normal_tail(25.1), -319.14838740588857, 1e-14) &&
           near(log_normal_tail(100), -5005.524208694205, 1e-14),
       "the normal law's tail");
    ok(near(normal_quantile(1e-300, 1), -37.0470962993612, 1e-14) &&
           near(normal_quantile(0.3, 0.7), -0.5244005127080409, 1e-14) &&
           near(normal_quantile(0.975, 0.025), 1.959963984540054, 1e-14) &&
           fabs(normal_quantile(0.5, 0.5)) < 1e-15,
       "its quantiles");
}

static double cosine(const void *state, double x)
{
    (void)state;
    return cos(x);
}

static double odd(const void *state, double x)
{
    return *(const double *)state * x * x * x;
}

/* Rosenbrock's valley: its least is 0 at (1, 1). */
static double valley(const void *state, const double *x)
{
    (void)state;
    return pow(1 - x[0], 2) + 100 * pow(x[1] - x[0] * x[0], 2);
}

static void test_solvers(void)
{
    double steep = 1e9, x[] = { -1.2, 1 };
    ok(near(root_between(cosine, NULL, 0, 3), acos(-1) / 2, 1e-15), "a root between two ends");
    ok(isnan(root_between(cosine, NULL, 0, 1)), "none where the signs are the same");
    ok(fabs(root_near(odd, &steep, 1e6)) < 1e-9, "a root that is flat and far away");
    double least = minimise(valley, NULL, 2, x, 0.5, 1e-15, 400);
    ok(least < 1e-14 && fabs(x[0] - 1) < 1e-6 && fabs(x[1] - 1) < 1e-6, "the end of a curved valley");
}

int main(void)
{
    test_psi();
    test_gamma();
    test_beta();
    test_normal();
    test_solvers();
    return tap_done();
}
