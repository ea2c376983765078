/* A run that goes on from a checkpoint (--resume): what it was, what it is now, who is awaited. */
#ifndef RUN_RESUME_H
#define RUN_RESUME_H

#include "run/server/state.h"

/* Reads the checkpoint, if there is one: what the options do not say comes from there; the run's shape and which rows its
 * places had are those of then. ERR_DATA: the options make it another run; names both values. */
int resume_open(struct server *s, struct err *e);
void resume_close(struct server *s);

/* Once P is known: which places need no worker, since all their minibatches are made or the run is over. ERR_DATA. */
int resume_places(struct server *s, struct err *e);

/* Whether shards are those of the place. */
bool resume_same(const struct place *place, const json_t *shards);
/* The place that had these shards and is free; NO_PLACE: none is. *known: a place had them, free or not. */
uint64_t resume_find(const struct server *s, const json_t *shards, bool *known);
/* ERR_DATA: why the peer cannot have that place. */
int resume_refuse(const struct server *s, const struct peer *p, uint64_t rank, struct err *e);

/* The aggregate of the run; after its trace is open: what was in hand is cancelled. */
struct aggregate *resume_aggregate(struct server *s, const struct policy_run *run,
                                   const struct aggregate_calls *calls, struct err *e);
int resume_go_on(struct server *s, struct err *e);

#endif
