/* What is to be expected of policies: times by formula or by simulation, errors by bounds (THEORY 2, 3, 8). */
#ifndef RUN_OUTLOOK_H
#define RUN_OUTLOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "run/plan/conf.h"
#include "run/plan/prospect.h"
#include "run/price.h"

struct outlook {
    const struct plan_conf *conf;
    const struct delays *delays;
    const struct delays *comm; /* of exchanges; NULL: they take no time */
    const struct prices *prices;
    const struct constants *constants;
    double step;   /* eta, where it is a constant that plain sgd makes; else NAN: no bound holds */
    double target; /* a gap; NAN: none */
    bool raced;    /* a race decides: what the bounds do not know is of less interest */
};

/* Fills in time, error and joules of all: by a formula where there is one, else a simulation of conf->draws
 * minibatches, of fewer when there are many such rows; with too many workers for that the bound, or
 * nothing, is left, which is said. */
int outlook_times(const struct outlook *o, struct prospects *p, struct err *e);

/* Fills in floor, updates and seconds of all, and says why of those of which nothing can be said. */
void outlook_errors(const struct outlook *o, struct prospects *p);

/* Its bound after so many seconds: a gap; NAN: not known. */
double outlook_bound(const struct outlook *o, const struct prospect *p, double seconds);

/* Its seconds to the target by the bound with so much of the noise; NAN: not known. */
double outlook_seconds(const struct outlook *o, const struct prospect *p, double noise);

/* Money and joules of so many seconds of a prospect, of which an update is a part. NAN: not known. */
double outlook_money(const struct outlook *o, double seconds);
double outlook_joules(const struct outlook *o, const struct prospect *p, double seconds);

#endif
