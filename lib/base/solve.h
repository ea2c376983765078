/* Roots and minima of functions of which only values are known. */
#ifndef BASE_SOLVE_H
#define BASE_SOLVE_H

/* A function of one real; state is whatever else it depends on. */
typedef double curve(const void *state, double x);

/* The x between low and high where f, which has other signs there, is 0: Ridders' method, to the
 * last bits of x. An end where f is 0 is the answer. NAN when the signs are the same. */
double root_between(curve *f, const void *state, double low, double high);

/* The same for a rising f on all reals, searched for outward from a guess; NAN when there is none. */
double root_near(curve *f, const void *state, double guess);

/* A function of n reals. */
typedef double surface(const void *state, const double *x);

/* Moves x (n values, at most SOLVE_MAX) downhill to a minimum of f by Nelder and Mead's simplex,
 * with first steps of `step` each; f may be infinite. Ends when the values differ by less than
 * `close` or after `turns`. Returns f there. */
enum { SOLVE_MAX = 4 };
double minimise(surface *f, const void *state, unsigned n, double *x, double step, double close,
                unsigned turns);

#endif
