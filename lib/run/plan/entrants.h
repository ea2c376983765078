/* Who takes part in the race. */
#ifndef RUN_ENTRANTS_H
#define RUN_ENTRANTS_H

#include <stddef.h>

#include "base/err.h"
#include "run/plan/outlook.h"
#include "run/plan/prospect.h"

/* Of more than so many the bounds choose, or without bounds every so many. */
enum { ENTRANTS_MOST = 40 };

/* Those of p that are not another one under the same number, into who (p->n of room), in their order; *n:
 * how many. The bounds are asked twice: with the noise that they assume, and with the c / 2L of it that a
 * quadratic has (THEORY 3), as one K is too large and the other one too small. -1: ERR_SYSTEM. */
int entrants(struct prospect **who, size_t *n, const struct outlook *o, struct prospects *p, struct err *e);

#endif
