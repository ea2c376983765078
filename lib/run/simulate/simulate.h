/* dsgd-sim: a run in virtual time, and what of it is written. */
#ifndef RUN_SIMULATE_H
#define RUN_SIMULATE_H

#include <stddef.h>

#include "base/err.h"
#include "run/simulate/conf.h"

/* The whole life of a simulated run; paths[0 .. n): rows of its workers, one each, or one for all. Does
 * not return when a signal ended it. Of pools the delays and the number of workers are filled in. -1: ERR_NO (loss or parameters not finite, a delay beyond the
 * clock), ERR_USAGE, ERR_DATA, ERR_SYSTEM. */
int simulate(struct sim_conf *conf, char *const *paths, size_t n, struct err *e);

#endif
