/* What the bounds ask of an objective, as dsgd-eval --constants measures it or the user gives it. */
#ifndef RUN_PLAN_CONSTANTS_H
#define RUN_PLAN_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "theory/error.h"

/* NAN: not known. */
struct constants {
    double L, c, sigma2; /* smoothness, curvature, variance of the gradient of one row (THEORY 3) */
    double gap;          /* F(w_0) - F*, F with the penalty */
    double fstar;        /* F* */
    double loss;         /* F(w_0): where F* is not told it is loss - gap */
    double loss_min;     /* where F is least, the loss without the penalty; not told: F* */
    double m_g;          /* what the variance grows by with ||grad F||^2; not told: 0 */
    double gamma, p0;    /* of stale gradients */
    double l2;           /* that they were measured with */
    char *model;         /* SPEC, owned; NULL: not told */
};

#define CONSTANTS_UNKNOWN \
    { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NULL }

/* From a table with the members' names as columns: its first row, others are ignored as are other
 * columns. "-" is stdin. -1: ERR_SYSTEM, ERR_DATA with its place. */
int constants_read(struct constants *c, const char *path, struct err *e);
void constants_free(struct constants *c);

/* What `given` knows takes the place of what c says. */
void constants_override(struct constants *c, const struct constants *given);

/* Whether they can be those of some function. ERR_USAGE. */
int constants_check(const struct constants *c, struct err *e);

#endif
