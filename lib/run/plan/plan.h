/* dsgd-plan: what each policy would do on these workers, and which one to take. */
#ifndef RUN_PLAN_H
#define RUN_PLAN_H

#include <stddef.h>

#include "base/err.h"
#include "run/plan/conf.h"

/* A row a policy and K on stdout, or the best of them as options for dsgd-ps. paths[0 .. n): rows of the
 * workers, one each or one for all, to race on. What was not told is filled in from the constants. -1:
 * ERR_NO (no policy reaches the target), ERR_USAGE, ERR_DATA, ERR_SYSTEM. */
int plan(struct plan_conf *c, char *const *paths, size_t n, struct err *e);

#endif
