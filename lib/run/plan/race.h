/* Which policy is first on the rows themselves: successive halving in simulation. */
#ifndef RUN_RACE_H
#define RUN_RACE_H

#include <stddef.h>

#include "base/err.h"
#include "run/plan/outlook.h"
#include "run/plan/prospect.h"

/* All entrants run once, and the better half of them stays; then, twice as many seeds each time, those that
 * are left, and by their differences seed by seed who is clearly behind leaves. A seed's delays, minibatches and start parameters are those of every policy. paths[0 .. n): rows of
 * the workers, one each or one for all. Fills in runs and seconds (without a target: loss) of those
 * that raced and of those that are the same, and `out` of all but those that came to the end. What a
 * seed gives does not depend on real time; if conf->budget is over before the end, which is said, the
 * rounds that were whole decide. -1: ERR_USAGE, ERR_DATA, ERR_SYSTEM. */
int race(const struct outlook *o, struct prospects *p, char *const *paths, size_t n, struct err *e);

#endif
