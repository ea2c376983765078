/* Special functions that laws of delays and order statistics need, in double precision: relative
 * errors of some 1e-13, except where said. */
#ifndef BASE_SPECIAL_H
#define BASE_SPECIAL_H

/* psi, the derivative of log gamma, for x > 0. */
double digamma(double x);

/* H_n - H_m, the sum of 1/i for i from m + 1 to n; 0 <= m <= n. */
double harmonic(double m, double n);

/* log gamma(x) less Stirling's (x - 1/2) log x - x + log(2 pi) / 2, x > 0: small where x is large,
 * so that quotients of gamma functions lose nothing. */
double stirling_rest(double x);

/* log(gamma(x + d) / gamma(x)) for x > 0 and x + d > 0, precise where x is large and d small. */
double log_gamma_ratio(double x, double d);

/* Logarithms of the regularised incomplete gamma functions, shape a > 0, x >= 0:
 * P = 1/gamma(a) int_0^x t^(a-1) e^-t dt and Q = 1 - P, each precise where it is small. */
double log_gamma_p(double a, double x);
double log_gamma_q(double a, double x);

/* x with P(a, x) = p; q = 1 - p is given too, so that either may be tiny. p = 0: 0; q = 0: infinite. */
double gamma_quantile(double a, double p, double q);

/* The regularised incomplete beta function I_x(a, b), a, b > 0; y = 1 - x is given too. */
double beta_i(double a, double b, double x, double y);

/* Of the standard normal law: log P(Z > z), and z with P(Z <= z) = p, q = 1 - p. */
double log_normal_tail(double z);
double normal_quantile(double p, double q);

/* log(1 + e^z) and log(e^a + e^b) without overflow. */
double log1p_exp(double z);
double log_sum(double a, double b);

/* log(1 - e^z) for z <= 0. */
double log1m_exp(double z);

#endif
