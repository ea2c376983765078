/* dsgd-sim --replay: a recorded run, real or simulated, executed again to the same bits.
 *
 * The trace's joins, gradients, confirmations and losses are told to the aggregate in the order of their
 * lines; what it makes of them has to be what the other lines say, to the last digit. */
#ifndef RUN_REPLAY_H
#define RUN_REPLAY_H

#include <stddef.h>

#include "base/err.h"
#include "run/simulate/conf.h"

/* paths[0 .. n): the rows of the run's workers, known by their checksums, in any order. What the options do
 * not say comes from the trace. ERR_DATA: trace, options and rows do not fit each other. ERR_NO: as the
 * run that was recorded. */
int replay(struct sim_conf *conf, char *const *paths, size_t n, struct err *e);

#endif
