/* What a recorded run was, by line 1 of its trace, against what is here and what the options say. */
#ifndef RUN_REPLAY_CONF_H
#define RUN_REPLAY_CONF_H

#include <jansson.h>
#include <stddef.h>

#include "base/err.h"
#include "policy/policy.h"
#include "run/simulate/conf.h"

/* Fills in what the options leave open. ERR_DATA names what contradicts; ERR_USAGE: options that have no
 * meaning. n: number of operands. */
int replay_conf(struct sim_conf *c, const json_t *meta, size_t n, struct err *e);
/* What became of K after a loss. */
enum policy_loss replay_loss(const json_t *meta);

#endif
