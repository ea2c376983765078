/* A policy and what is to be expected of it. */
#ifndef RUN_PROSPECT_H
#define RUN_PROSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/plug.h"
#include "base/set.h"
#include "policy/policy.h"
#include "theory/runtime.h"

struct prospect {
    struct spec policy; /* with its K */
    struct knobs knobs;
    bool stale;          /* its gradients may be */
    struct runtime time; /* of an update */
    double error;        /* standard error of time.mean where it was simulated, else NAN */
    double joules;       /* of an update; NAN without --watts */
    double floor;        /* of the bound: a gap; NAN: not known, as the following */
    double seconds;      /* to the target: infinite: never */
    double loss;         /* at the deadline, of a race without a target; else NAN */
    size_t runs;         /* of the race that it was in: seconds are their mean; 0: none */
    bool out;            /* of the race before its end */
};

/* Zeroed before use. */
struct prospects {
    struct prospect *v;
    size_t n, cap;
};

/* Those of the policies named, or without any of the six of the paper: a SPEC as it is, a name with every
 * K up to P; of P above PROSPECT_ALL those that lie in steps of `ratio` between 1 and P/2, and as far
 * below P. ERR_USAGE. */
enum { PROSPECT_ALL = 64 };
#define PROSPECT_RATIO 1.19
int prospects_open(struct prospects *p, const struct text_list *policies, uint64_t workers, double ratio,
                   struct err *e);
void prospects_free(struct prospects *p);

/* Whether both are the same rule for so many workers (k-async:1 and async). */
bool prospect_same(const struct prospect *a, const struct prospect *b, uint64_t workers);

#endif
