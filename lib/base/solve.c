/* Roots and minima of functions of which only values are known. */
#include "base/solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { TURNS = 200 };

static int other_signs(double a, double b)
{
    return (a < 0) != (b < 0);
}

double root_between(curve *f, const void *state, double low, double high)
{
    double at_low = f(state, low), at_high = f(state, high);
    if (at_low == 0 || at_high == 0)
        return at_low == 0 ? low : high;
    if (!other_signs(at_low, at_high))
        return NAN;
    for (int i = 0; i < TURNS; i++) {
        double middle = low + (high - low) / 2, at = f(state, middle);
        if (at == 0 || middle <= fmin(low, high) || middle >= fmax(low, high))
            return middle;
        double bent = (middle - low) * at / sqrt(at * at - at_low * at_high);
        double x = isfinite(bent) ? middle + (at_low < at_high ? -bent : bent) : middle;
        double at_x = x == middle ? at : f(state, x);
        if (at_x == 0)
            return x;
        if (other_signs(at, at_x)) {
            low = middle, at_low = at;
            high = x, at_high = at_x;
        } else if (other_signs(at_low, at_x)) {
            high = x, at_high = at_x;
        } else {
            low = x, at_low = at_x;
        }
        if (fabs(high - low) <= 2 * DBL_EPSILON * fabs(x) + DBL_MIN)
            return x;
    }
    return low + (high - low) / 2;
}

double root_near(curve *f, const void *state, double guess)
{
    double step = 1e-3 * (1 + fabs(guess));
    double way = f(state, guess) < 0 ? 1 : -1;
    double from = guess;
    for (int i = 0; i < 64; i++, step *= 2) {
        double to = from + way * step;
        if (way * f(state, to) >= 0)
            return way > 0 ? root_between(f, state, from, to) : root_between(f, state, to, from);
        from = to;
    }
    return NAN;
}

struct corner {
    double x[SOLVE_MAX], f;
};

struct simplex {
    surface *f;
    const void *state;
    unsigned n;                          /* dimensions: one corner more */
    struct corner corner[SOLVE_MAX + 1]; /* sorted by value */
};

/* NaN is as bad as can be. */
static void measure(const struct simplex *s, struct corner *c)
{
    c->f = s->f(s->state, c->x);
    if (isnan(c->f))
        c->f = INFINITY;
}

static void sort(struct simplex *s)
{
    for (unsigned i = 1; i <= s->n; i++)
        for (unsigned k = i; k > 0 && s->corner[k].f < s->corner[k - 1].f; k--) {
            struct corner c = s->corner[k];
            s->corner[k] = s->corner[k - 1];
            s->corner[k - 1] = c;
        }
}

/* The worst corner, moved through the middle of the others: by -1 to its mirror image. */
static struct corner moved(const struct simplex *s, double by)
{
    struct corner c = { .f = 0 };
    for (unsigned d = 0; d < s->n; d++) {
        double middle = 0;
        for (unsigned i = 0; i < s->n; i++)
            middle += s->corner[i].x[d] / s->n;
        c.x[d] = middle + by * (s->corner[s->n].x[d] - middle);
    }
    measure(s, &c);
    return c;
}

static void shrink(struct simplex *s)
{
    for (unsigned i = 1; i <= s->n; i++) {
        for (unsigned d = 0; d < s->n; d++)
            s->corner[i].x[d] = (s->corner[0].x[d] + s->corner[i].x[d]) / 2;
        measure(s, &s->corner[i]);
    }
}

static void turn(struct simplex *s)
{
    struct corner *worst = &s->corner[s->n];
    struct corner mirror = moved(s, -1);
    if (mirror.f < s->corner[0].f) {
        struct corner far = moved(s, -2);
        *worst = far.f < mirror.f ? far : mirror;
    } else if (mirror.f < s->corner[s->n - 1].f) {
        *worst = mirror;
    } else {
        struct corner near = moved(s, mirror.f < worst->f ? -0.5 : 0.5);
        if (near.f < fmin(mirror.f, worst->f))
            *worst = near;
        else
            shrink(s);
    }
    sort(s);
}

double minimise(surface *f, const void *state, unsigned n, double *x, double step, double close,
                unsigned turns)
{
    struct simplex s = { .f = f, .state = state, .n = n };
    for (unsigned i = 0; i <= n; i++) {
        memcpy(s.corner[i].x, x, n * sizeof *x);
        if (i > 0)
            s.corner[i].x[i - 1] += step;
        measure(&s, &s.corner[i]);
    }
    sort(&s);
    for (unsigned i = 0; i < turns && !(s.corner[n].f - s.corner[0].f <= close); i++)
        turn(&s);
    memcpy(x, s.corner[0].x, n * sizeof *x);
    return s.corner[0].f;
}
