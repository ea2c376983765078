/* Orders for a run while it goes on (--control): a line in, a line out, as JSON, over a Unix socket of its owner. */
#ifndef RUN_CONTROL_H
#define RUN_CONTROL_H

#include "run/server/state.h"

/* Listens, if that was asked for. */
int control_open(struct server *s, struct err *e);
/* A checkpoint is written, or was there already; failure: or could not be. Who waits for it is told. */
void control_saved(struct server *s, const struct err *failure);
void control_close(struct server *s);

#endif
