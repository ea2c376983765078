/* Special functions: series and continued fractions, each where it converges fast. */
#include "base/special.h"

#include <math.h>
#include <stdbool.h>

#include "base/solve.h"

#define LOG_2PI  1.8378770664093454836
#define SQRT_2PI 2.5066282746310005024
#define LOG_2    0.69314718055994530942

enum { LARGE = 15, TERMS = 1000000, SUM = 4096 };

static const double tiny = 1e-300, close_enough = 4e-16;

/* The asymptotic series from x = 10 on, by recurrence below. */
double digamma(double x)
{
    double below = 0;
    for (; x < 10; x++)
        below += 1 / x;
    double y = 1 / (x * x);
    double rest =
        y * (1. / 12 -
             y * (1. / 120 -
                  y * (1. / 252 - y * (1. / 240 - y * (1. / 132 - y * (691. / 32760 - y / 12))))));
    return log(x) - 0.5 / x - rest - below;
}

/* Few terms are added, smallest first; of many, the difference of two large psi is precise. */
double harmonic(double m, double n)
{
    if (n - m > SUM)
        return digamma(n + 1) - digamma(m + 1);
    double sum = 0;
    for (double i = n; i > m; i--)
        sum += 1 / i;
    return sum;
}

double stirling_rest(double x)
{
    if (x < LARGE)
        return lgamma(x) - ((x - 0.5) * log(x) - x + 0.5 * LOG_2PI);
    double y = 1 / (x * x);
    return (1. / 12 -
            y * (1. / 360 -
                 y * (1. / 1260 - y * (1. / 1680 - y * (1. / 1188 - y * 691. / 360360))))) /
           x;
}

double log_gamma_ratio(double x, double d)
{
    if (x < LARGE || x + d < LARGE)
        return lgamma(x + d) - lgamma(x);
    return (x - 0.5) * log1p(d / x) + d * log(x + d) - d + stirling_rest(x + d) - stirling_rest(x);
}

/* log(ratio) where ratio = 1 + off, whichever is precise. */
static double log1p_ratio(double off, double ratio)
{
    return off < -0.5 ? log(ratio) : log1p(off);
}

/* log(x^a e^-x / gamma(a)). */
static double log_gamma_term(double a, double x)
{
    if (a < LARGE)
        return a * log(x) - x - lgamma(a);
    double off = (x - a) / a;
    return a * (log1p_ratio(off, x / a) - off) + 0.5 * (log(a) - LOG_2PI) - stirling_rest(a);
}

/* P / term, for x below a + 1. */
static double gamma_series(double a, double x)
{
    double term = 1 / a, sum = term;
    for (int n = 1; n < TERMS && term > sum * close_enough; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum;
}

/* Lentz's way through a continued fraction; one step with its partial numerator and denominator. */
struct fraction {
    double value, c, d;
};

static bool lentz(struct fraction *f, double over, double under)
{
    f->d = under + over * f->d;
    f->c = under + over / f->c;
    f->d = 1 / (f->d == 0 ? tiny : f->d);
    f->c = f->c == 0 ? tiny : f->c;
    f->value *= f->c * f->d;
    return fabs(f->c * f->d - 1) > close_enough;
}

/* Q / term, for x from a + 1 on. */
static double gamma_fraction(double a, double x)
{
    double under = x + 1 - a;
    struct fraction f = { .value = 1 / under, .c = 1 / tiny, .d = 1 / under };
    int n = 1;
    do {
        under += 2;
    } while (lentz(&f, -n * (n - a), under) && ++n < TERMS);
    return f.value;
}

double log1m_exp(double z)
{
    return z > -LOG_2 ? log(-expm1(z)) : log1p(-exp(z));
}

double log1p_exp(double z)
{
    return z > 0 ? z + log1p(exp(-z)) : log1p(exp(z));
}

double log_sum(double a, double b)
{
    double high = fmax(a, b);
    return high == -INFINITY ? high : high + log1p(exp(fmin(a, b) - high));
}

static double log_gamma_part(double a, double x, bool upper)
{
    if (x <= 0)
        return upper ? 0 : -INFINITY;
    if (x == INFINITY)
        return upper ? -INFINITY : 0;
    bool above = x >= a + 1;
    double part = log_gamma_term(a, x) + log(above ? gamma_fraction(a, x) : gamma_series(a, x));
    part = fmin(part, 0);
    return above == upper ? part : log1m_exp(part);
}

double log_gamma_p(double a, double x)
{
    return log_gamma_part(a, x, false);
}

double log_gamma_q(double a, double x)
{
    return log_gamma_part(a, x, true);
}

struct gamma_goal {
    double a, log; /* of the smaller of p and q */
    bool upper;
};

/* In log x, where log P and log Q are concave. */
static double gamma_miss(const void *state, double log_x)
{
    const struct gamma_goal *g = state;
    double miss = log_gamma_part(g->a, exp(log_x), g->upper) - g->log;
    return g->upper ? -miss : miss;
}

/* Wilson and Hilferty's cube of a normal law; of small p, the first term of the series. */
static double gamma_guess(double a, double p, double q)
{
    double start = (log(p) + lgamma(a + 1)) / a;
    double root = 1 - 1 / (9 * a) + normal_quantile(p, q) / (3 * sqrt(a));
    double cube = root > 0 ? log(a) + 3 * log(root) : start;
    return a < 1 && p < 0.5 ? start : fmax(cube, start);
}

double gamma_quantile(double a, double p, double q)
{
    if (p <= 0 || q <= 0)
        return p <= 0 ? 0 : INFINITY;
    struct gamma_goal g = { a, log(fmin(p, q)), q < p };
    return exp(root_near(gamma_miss, &g, gamma_guess(a, p, q)));
}

/* I_x(a, b) / (x^a y^b / (a B(a, b))), for x below the law's mean. */
static double beta_fraction(double a, double b, double x)
{
    double d = 1 / (1 - (a + b) * x / (a + 1));
    struct fraction f = { .value = d, .c = 1, .d = d };
    int n = 1;
    bool on;
    do {
        double even = n * (b - n) * x / ((a + 2 * n - 1) * (a + 2 * n));
        double odd = -(a + n) * (a + b + n) * x / ((a + 2 * n) * (a + 2 * n + 1));
        on = lentz(&f, even, 1);
        on = lentz(&f, odd, 1) || on;
    } while (on && ++n < TERMS);
    return f.value;
}

/* log(x^a y^b / B(a, b)), by the distance of x from a / (a + b). */
static double log_beta_term(double a, double b, double x, double y)
{
    double n = a + b, off = x * b - y * a; /* n (x - a / n) */
    double rests = stirling_rest(n) - stirling_rest(a) - stirling_rest(b);
    return a * log1p_ratio(off / a, x * n / a) + b * log1p_ratio(-off / b, y * n / b) +
           0.5 * (log(a) + log(b / n) - LOG_2PI) + rests;
}

double beta_i(double a, double b, double x, double y)
{
    if (x <= 0 || y <= 0)
        return x <= 0 ? 0 : 1;
    double term = exp(log_beta_term(a, b, x, y));
    if (x * (a + b + 2) <= a + 1)
        return fmin(1, term * beta_fraction(a, b, x) / a);
    return fmax(0, 1 - term * beta_fraction(b, a, y) / b);
}

/* Far out by the asymptotic series: its terms fall until z^2 / 2 of them. */
double log_normal_tail(double z)
{
    if (z < -1)
        return log1m_exp(log_normal_tail(-z));
    if (z < 25)
        return log(0.5 * erfc(z / sqrt(2)));
    double y = 1 / (z * z);
    double series = 1 - y * (1 - 3 * y * (1 - 5 * y * (1 - 7 * y * (1 - 9 * y))));
    return -0.5 * z * z - log(z * SQRT_2PI) + log(series);
}

/* A guess to three digits (Abramowitz and Stegun 26.2.23), then Newton on the logarithm of the
 * smaller tail, which is nearly a parabola. */
double normal_quantile(double p, double q)
{
    double small = fmin(p, q);
    if (small <= 0)
        return p <= 0 ? -INFINITY : INFINITY;
    double t = sqrt(-2 * log(small));
    double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                       (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int i = 0; i < 3; i++) {
        double tail = log_normal_tail(z);
        z += (tail - log(small)) * exp(tail + 0.5 * z * z) * SQRT_2PI;
    }
    return p < q ? -z : z;
}
