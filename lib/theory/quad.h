/* E[T] of a time T of which P(T > t) is known, by integrals of it. */
#ifndef THEORY_QUAD_H
#define THEORY_QUAD_H

#include <stdbool.h>
#include <stddef.h>

struct survival {
    double (*above)(void *state, double t); /* P(T > t): falls from `whole`, seldom is exactly 0 */
    void *state;
    double whole; /* at t = 0; 1 for one time, K for a sum of K */
    /* Where it bends or jumps, rising, finite, from 0 on. At a start, some smooth part of it begins,
     * maybe steeply. */
    const struct bend {
        double t;
        bool start;
    } * bend;
    size_t bends;
    bool bounded;      /* it is 0 from the last bend on */
    double tail_index; /* it falls as t^-tail_index in the end, > 1; INFINITY: faster than that */
};

/* The integral of `above` over all t >= 0, to some ten digits. */
double survival_mean(const struct survival *s);

#endif
