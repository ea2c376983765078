/* Checkpoints (-C): when one is due, and the process that writes it beside the training.
 *
 * A child has the state as it was when it was started, and the run goes on: it writes, syncs, renames and syncs the
 * folder. The one before stays until then, and when something fails. */
#ifndef RUN_SAVE_H
#define RUN_SAVE_H

#include "run/server/state.h"

/* Before a worker starts: whether it can be written at all. */
int save_open(struct server *s, struct err *e);
void save_close(struct server *s);

/* The run begins, or goes on, at this time; with an update that is on disk already, or NO_PLACE. */
void save_begin(struct server *s, double now, uint64_t saved);
/* An update was made: writes it when it is time to. */
void save_updated(struct server *s, double now);
/* The run is over: the last update is written, unless it is. */
void save_last(struct server *s);
/* A child has ended: whether it was this, and what that means. */
void save_ended(struct server *s);
bool save_busy(const struct server *s);

#endif
