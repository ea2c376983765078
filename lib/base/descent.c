/* Minima of functions of many reals, whose gradients are known: limited-memory BFGS. */
#include "base/descent.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vector.h"

enum { PAIRS = 10, LOOKS = 30 /* values on one line */, LATELY = 10 /* steps */ };
#define ENOUGH 1e-12 /* of all that was gained */
#define ARMIJO 1e-4
#define WOLFE 0.9
#define ROUNDING 1e-7 /* of a value: sums of floats */

/* A step and how it changed the gradient. */
struct pair {
    double *s, *y; /* (n) */
    double sy;
};

struct search {
    slope *f;
    void *self;
    size_t n;
    double *x, *g;           /* where it is, owned by the caller; the gradient there */
    double *next_x, *next_g; /* the point that is looked at */
    double *p;               /* where it goes */
    double value;
    struct pair pair[PAIRS];
    unsigned pairs, newest;
    unsigned values;
};

/* The pair that is `age` steps old, from 0. */
static struct pair *pair_of(struct search *s, unsigned age)
{
    return &s->pair[(s->newest + PAIRS - age) % PAIRS];
}

/* p = -H g, H from the pairs; without one the step is of length 1 at most. */
static void aim(struct search *s)
{
    double a[PAIRS];
    for (size_t i = 0; i < s->n; i++)
        s->p[i] = -s->g[i];
    for (unsigned k = 0; k < s->pairs; k++) {
        struct pair *q = pair_of(s, k);
        a[k] = vector_dot(q->s, s->p, s->n) / q->sy;
        vector_add(s->p, -a[k], q->y, s->n);
    }
    struct pair *last = pair_of(s, 0);
    double scale = s->pairs > 0 ? last->sy / vector_dot(last->y, last->y, s->n)
                                : 1 / fmax(1, sqrt(vector_dot(s->g, s->g, s->n)));
    for (size_t i = 0; i < s->n; i++)
        s->p[i] *= scale;
    for (unsigned k = s->pairs; k-- > 0;) {
        struct pair *q = pair_of(s, k);
        vector_add(s->p, a[k] - vector_dot(q->y, s->p, s->n) / q->sy, q->s, s->n);
    }
}

static double look(struct search *s, double t)
{
    memcpy(s->next_x, s->x, s->n * sizeof *s->x);
    vector_add(s->next_x, t, s->p, s->n);
    s->values++;
    return s->f(s->self, s->next_x, s->next_g);
}

/* Low enough for t: by Armijo's rule, or, where values differ by no more than rounding, by the slope, which is
 * known far better near a minimum (Hager, Zhang 2005). */
static bool low_enough(const struct search *s, double value, double t, double fall, double slope)
{
    if (value <= s->value + ARMIJO * t * fall)
        return true;
    return value <= s->value + ROUNDING * fabs(s->value) && slope <= (2 * ARMIJO - 1) * fall;
}

/* A point on the line that is lower, and less steep; false: rounding leaves none. */
static bool find(struct search *s, double *value)
{
    double low = 0, high = INFINITY, t = 1, fall = vector_dot(s->g, s->p, s->n);
    bool lower = false;
    for (int i = 0; i < LOOKS && fall < 0; i++) {
        *value = look(s, t);
        double slope = vector_dot(s->next_g, s->p, s->n);
        lower = low_enough(s, *value, t, fall, slope);
        if (!lower)
            high = t;
        else if (slope < WOLFE * fall)
            low = t;
        else
            return true;
        t = isinf(high) ? 2 * low : low + (high - low) / 2;
    }
    return lower && *value < s->value;
}

/* To the point that was found; what it tells of the curvature is kept when it tells anything. */
static void step(struct search *s, double value)
{
    struct pair *q = &s->pair[(s->newest + 1) % PAIRS];
    for (size_t i = 0; i < s->n; i++) {
        q->s[i] = s->next_x[i] - s->x[i];
        q->y[i] = s->next_g[i] - s->g[i];
    }
    q->sy = vector_dot(q->s, q->y, s->n);
    if (q->sy > 0) {
        s->newest = (s->newest + 1) % PAIRS;
        s->pairs += s->pairs < PAIRS;
    }
    memcpy(s->x, s->next_x, s->n * sizeof *s->x);
    memcpy(s->g, s->next_g, s->n * sizeof *s->g);
    s->value = value;
}

/* From where no point is lower by the pairs, there may be one down the gradient itself. */
static void walk(struct search *s, unsigned most)
{
    double first = s->value, lately[LATELY], value;
    for (unsigned k = 0; s->values < most; k++) {
        double *before = &lately[k % LATELY];
        if (k >= LATELY && *before - s->value <= ENOUGH * (first - s->value))
            return;
        *before = s->value;
        aim(s);
        if (!find(s, &value)) {
            if (s->pairs == 0)
                return;
            s->pairs = 0;
            continue;
        }
        step(s, value);
    }
}

static int open_search(struct search *s, struct err *e)
{
    double **const rooms[] = { &s->g, &s->next_x, &s->next_g, &s->p };
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        if ((*rooms[i] = mem_new(s->n, sizeof(double), e)) == NULL)
            return -1;
    for (int k = 0; k < PAIRS; k++)
        if ((s->pair[k].s = mem_new(s->n, sizeof(double), e)) == NULL ||
            (s->pair[k].y = mem_new(s->n, sizeof(double), e)) == NULL)
            return -1;
    return 0;
}

static void close_search(struct search *s)
{
    for (int k = 0; k < PAIRS; k++) {
        free(s->pair[k].s);
        free(s->pair[k].y);
    }
    free(s->p);
    free(s->next_g);
    free(s->next_x);
    free(s->g);
}

int descend(struct descent *d, slope *f, void *self, size_t n, double *x, unsigned most, struct err *e)
{
    struct search s = { .f = f, .self = self, .n = n, .x = x, .values = 1 };
    int status = open_search(&s, e);
    if (status == 0) {
        s.value = f(self, x, s.g);
        walk(&s, most);
        *d = (struct descent){ s.value, vector_dot(s.g, s.g, n), s.values };
    }
    close_search(&s);
    return status;
}
