/* The figures of the run over HTTP (--metrics), for Prometheus and whoever else asks. They are read only, who asks is
 * answered between two turns of the loop, and who only hangs about is closed. */
#ifndef RUN_METRICS_H
#define RUN_METRICS_H

#include "run/server/state.h"

/* Listens, if that was asked for. */
int metrics_open(struct server *s, struct err *e);
/* The run begins: its events are counted from now on. */
void metrics_watch(struct server *s);
/* To be called once a second, or more often. */
void metrics_tick(struct server *s);
void metrics_close(struct server *s);

#endif
