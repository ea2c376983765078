/* Checkpoints (-C): when one is due. A process of its own writes it (scribe.h), from a copy of the state, and the run
 * goes on. The one before stays until the new one is whole, and when something fails. */
#ifndef RUN_SAVE_H
#define RUN_SAVE_H

#include "run/server/state.h"

/* Before a worker starts: whether it can be written at all. */
int save_open(struct server *s, struct err *e);
/* Once there is an event loop. */
int save_listen(struct server *s, struct err *e);
void save_close(struct server *s);

/* The run begins, or goes on, at this time; with an update that is on disk already, or NO_PLACE. */
void save_begin(struct server *s, double now, uint64_t saved);
/* An update was made: writes it when it is time to. */
void save_updated(struct server *s, double now);
/* Writes it now, unless the last update is on disk already; control_saved follows. ERR_USAGE: there is no -C. */
int save_now(struct server *s, struct err *e);
/* The run is over: the last update is written, unless it is. */
void save_last(struct server *s);
bool save_busy(const struct server *s);
uint64_t save_done(const struct server *s); /* update of the file; NO_PLACE: there is none of this run */

#endif
