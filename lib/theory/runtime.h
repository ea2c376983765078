/* How long an update takes, what it costs, and how stale its gradients are: policy by policy
 * (THEORY 2; the lemmas, theorems and corollaries named there are the paper's). */
#ifndef THEORY_RUNTIME_H
#define THEORY_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "delay/delays.h"
#include "theory/value.h"

/* Which policy: its name as in its SPEC. k: of those that have one, else unused; bound: the S of ssp,
 * the R of bounded; drop: the mode of bounded. */
struct runtime_policy {
    const char *name;
    uint64_t k, bound;
    bool drop;
};

/* Long-run means. NAN: no formula is known. */
struct runtime {
    double mean;         /* E[T], seconds an update; infinite where it is */
    enum method method;  /* METHOD_BOUND: mean is the least upper bound that is known */
    double lower, upper; /* what E[T] lies between; 0 and INFINITY where nothing is known */
    double staleness;    /* updates between a gradient's parameters and its own update */
    double busy;         /* seconds that all workers together compute in an update */
    double wasted;       /* the part of them that went into what was broken off or dropped */
};

/* 0, or -1 and e: ERR_USAGE for a policy that is not known here or a K that does not fit. */
int runtime_of(struct runtime *r, const struct runtime_policy *p, const struct delays *d,
               struct err *e);

#endif
