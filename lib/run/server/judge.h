/* The process that tells AdaSync the loss of all rows (--loss-command). It gets models, as snapshots are,
 * and answers each with a row of a table, as dsgd-eval does. Nobody waits for it. */
#ifndef RUN_JUDGE_H
#define RUN_JUDGE_H

#include "run/server/state.h"

/* Starts it where the policy wants it. ERR_USAGE: it is needed and missing, or the other way round. */
int judge_open(struct server *s, struct err *e);
void judge_close(struct server *s);
/* The parameters are new: a model goes to it when its loss is wanted. */
void judge_updated(struct server *s, double now);
/* A child has ended: whether it was this, and what that means. */
void judge_ended(struct server *s);

#endif
