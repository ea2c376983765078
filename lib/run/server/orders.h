/* What can be ordered of a run, and how it is done. */
#ifndef RUN_ORDERS_H
#define RUN_ORDERS_H

#include "run/server/state.h"

/* Whether the answer to a line follows when a checkpoint is written. */
bool order_waits(const struct server *s, const char *line);
/* The answer to a line; NULL: it follows when a checkpoint is written (control_saved), or there is no memory. */
json_t *order_answer(struct server *s, const char *line);
/* That a checkpoint holds so many updates; and what could not be done. */
json_t *order_saved(uint64_t updates);
json_t *order_refused(const struct err *e);

#endif
