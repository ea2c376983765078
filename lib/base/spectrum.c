/* The ends of the spectrum of a symmetric operator of which only products are known. */
#include "base/spectrum.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vector.h"

enum { ROOM = 64 << 20 /* doubles in all vectors */, LEAST_PRODUCTS = 10, HALVINGS = 200 };

/* A in the basis of v: tridiagonal, `alpha` (m) and beside it `beta` (m - 1). */
struct lanczos {
    size_t n;
    unsigned m;
    double *v; /* (m, n): orthonormal */
    double *alpha, *beta;
    double *w; /* (n): the next of v */
};

/* w without its parts along all of v; twice, for what rounding left of the first time. */
static void make_orthogonal(struct lanczos *l)
{
    for (int turn = 0; turn < 2; turn++)
        for (unsigned k = 0; k < l->m; k++)
            vector_add(l->w, -vector_dot(l->w, l->v + k * l->n, l->n), l->v + k * l->n, l->n);
}

/* w becomes one more of v. */
static void keep(struct lanczos *l, double norm)
{
    double *v = l->v + l->m++ * l->n;
    for (size_t i = 0; i < l->n; i++)
        v[i] = l->w[i] / norm;
}

/* How many eigenvalues of the tridiagonal matrix are below x: the signs of its pivots. */
static unsigned below(const struct lanczos *l, double x)
{
    unsigned count = 0;
    double pivot = 1;
    for (unsigned k = 0; k < l->m; k++) {
        double before = k > 0 ? l->beta[k - 1] * l->beta[k - 1] / pivot : 0;
        pivot = l->alpha[k] - x - before;
        if (pivot == 0)
            pivot = DBL_MIN;
        count += pivot < 0;
    }
    return count;
}

/* Gershgorin: no eigenvalue is larger. */
static double bound(const struct lanczos *l)
{
    double most = 0;
    for (unsigned k = 0; k < l->m; k++)
        most = fmax(most, l->alpha[k] + (k > 0 ? l->beta[k - 1] : 0) + (k + 1 < l->m ? l->beta[k] : 0));
    return most;
}

/* The eigenvalue that `count` others are below, by halving. */
static double nth(const struct lanczos *l, unsigned count, double low, double high)
{
    for (int i = 0; i < HALVINGS; i++) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (below(l, middle) > count)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static void update(struct eigenvalue *of, double value, bool exhausted)
{
    of->settled = exhausted || fabs(value - of->value) <= SPECTRUM_CLOSE * value;
    of->value = value;
}

static void look(struct spectrum *s, const struct lanczos *l, bool exhausted)
{
    double high = bound(l) * (1 + 4 * DBL_EPSILON) + DBL_MIN;
    update(&s->largest, nth(l, l->m - 1, 0, high), exhausted);
    double flat = SPECTRUM_FLAT * s->largest.value;
    unsigned zero = below(l, flat);
    update(&s->least, zero < l->m ? nth(l, zero, flat, high) : NAN, exhausted);
}

/* One more product; false: A leads nowhere new. */
static bool extend(struct lanczos *l, product *a, void *self)
{
    const double *last = l->v + (l->m - 1) * l->n;
    a(self, last, l->w);
    l->alpha[l->m - 1] = vector_dot(l->w, last, l->n);
    double before = sqrt(vector_dot(l->w, l->w, l->n));
    make_orthogonal(l);
    double norm = sqrt(vector_dot(l->w, l->w, l->n));
    if (l->m == l->n || !(norm > SPECTRUM_FLAT * fmax(before, bound(l))))
        return false;
    l->beta[l->m - 1] = norm;
    return true;
}

static void run(struct spectrum *s, struct lanczos *l, product *a, void *self, unsigned most)
{
    bool more = true;
    while (more) {
        more = extend(l, a, self);
        s->products++;
        if (!more || l->m % SPECTRUM_PAUSE == 0 || l->m == most)
            look(s, l, !more);
        if (l->m == most || (s->least.settled && s->largest.settled))
            return;
        if (more)
            keep(l, l->beta[l->m - 1]);
    }
}

int spectrum_ends(struct spectrum *s, product *a, void *self, size_t n, const double *start,
                  unsigned most, struct err *e)
{
    size_t room = ROOM / n < LEAST_PRODUCTS ? LEAST_PRODUCTS : ROOM / n;
    most = n < most ? (unsigned)n : most;
    most = room < most ? (unsigned)room : most;
    struct lanczos l = { .n = n,
                         .v = mem_new(most * n, sizeof *l.v, e),
                         .alpha = mem_new(most, sizeof *l.alpha, e),
                         .beta = mem_new(most, sizeof *l.beta, e),
                         .w = mem_new(n, sizeof *l.w, e) };
    *s = (struct spectrum){ .least = { NAN, false }, .largest = { NAN, false } };
    int status = l.v && l.alpha && l.beta && l.w ? 0 : -1;
    double norm = sqrt(vector_dot(start, start, n));
    if (status == 0 && norm > 0 && isfinite(norm)) {
        memcpy(l.w, start, n * sizeof *l.w);
        keep(&l, norm);
        run(s, &l, a, self, most);
    }
    free(l.w);
    free(l.beta);
    free(l.alpha);
    free(l.v);
    return status;
}
