/* The bound of each policy over time, as rows. */
#ifndef RUN_CURVE_H
#define RUN_CURVE_H

#include "base/err.h"
#include "run/plan/outlook.h"

/* On stdout: policy, K, time, bound; times the same for all, until the deadline or until none falls much further.
 * ERR_USAGE: nothing is known of any. */
int curve_print(const struct outlook *o, const struct prospects *p, struct err *e);

#endif
