/* What error can be reached, and after how many updates: the bounds of THEORY 3, with its errata.
 *
 * Bounds overrate the noise by up to 2 L/c (THEORY 3, "how loose"): they are inequalities; what they
 * say of one policy cannot be compared to the digit with what they say of another. */
#ifndef THEORY_ERROR_H
#define THEORY_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "delay/delays.h"

/* The objective: F is L-smooth; 2 c (F - F*) <= ||grad F||^2; the variance of a gradient of m rows is at
 * most sigma2 / m + (m_g / m) ||grad F||^2. And staleness: E||grad F(w_j) - grad F(w_tau)||^2 <=
 * gamma E||grad F(w_j)||^2; p0 <= the chance that a gradient is fresh. */
struct objective {
    double L, c, sigma2, m_g;
    double gap;       /* F(w_0) - F* */
    double gamma, p0; /* only of policies whose gradients may be stale */
    double m;         /* rows of a minibatch */
};

/* Of which updates: K gradients each, step eta; stale: of a policy that voids nothing. */
struct updates {
    double eta, k;
    bool stale;
};

/* By how much the error that is left falls in an update, in parts of eta c: 1 (lemma 2), or
 * gamma' = 1 - gamma + p0 / 2 (theorem 3). */
double error_contraction(const struct objective *o, const struct updates *u);

/* The largest eta for which the bounds hold: min{1/(c gamma'), 1/(2L(M_G/(Km) + 1))}. The paper prints
 * max, and for theorem 3 1/K in place of the last 1: with either the bound is false. */
double error_ceiling(const struct objective *o, const struct updates *u);

/* Lemma 2, theorem 3. The floor, eta L sigma2 / (2 c gamma' K m); the bound after `count` updates; and
 * the updates after which the bound is `target` (a gap): not whole; 0 when it is that at the start;
 * infinite when the floor is not below it. */
double error_floor(const struct objective *o, const struct updates *u);
double error_bound(const struct objective *o, const struct updates *u, double count);
double error_updates(const struct objective *o, const struct updates *u, double target);

/* Theorem 5, F not convex: the mean of E||grad F(w_j)||^2 over j = 0 .. count is at most
 * 2 gap / ((count+1) eta gamma') + L eta sigma2 / (K m gamma'). */
double error_gradient(const struct objective *o, const struct updates *u, double count);

/* Theorem 4 with eta_j E||w_j - w_tau||^2 <= C and a constant eta: the floor
 * (C L^2/2 + eta^2 L sigma2/(2m)) / (eta c (1 + p0/2)). K = 1. */
double error_variable_floor(const struct objective *o, double eta, double C);

/* Exactly, for a quadratic with curvatures a[n] along its axes and noise of variance v in each
 * coordinate of the mean gradient, none of it stale: sum_i eta v / (2 (2 - eta a_i)). */
double error_quadratic_floor(const double *a, size_t n, double eta, double v);

/* What p0 may be for these delays (lemma 8): 1/P where what has run is no sign of an end soon (NSU,
 * the exponential too), else 0: with a least delay fresh gradients are rare. */
double error_p0(const struct delays *d);

#endif
