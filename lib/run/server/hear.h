/* What a peer says: which frames it may send when, and what they do. */
#ifndef RUN_HEAR_H
#define RUN_HEAR_H

#include "run/server/state.h"

/* As conn_calls; the owner is the struct peer. */
void *hear_place(void *owner, struct conn *c, const struct frame *f, struct err *e);
void *hear_expect(void *owner, struct conn *c, size_t *room);
void *hear_rest(void *owner, struct conn *c, const struct frame *f, void *first, struct err *e);
int hear_frame(void *owner, struct conn *c, const struct frame *f, void *payload, struct err *e);

#endif
