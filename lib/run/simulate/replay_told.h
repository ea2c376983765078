/* What people asked of a recorded run while it went on. */
#ifndef RUN_REPLAY_TOLD_H
#define RUN_REPLAY_TOLD_H

#include "run/told.h"

/* 1: this line `set` is such a wish, which is carried out; 0: it is something else; -1 and e. */
int replay_told(struct told_rules *t, struct train_conf *c, struct aggregate *a, const struct trace_event *ev, struct err *e);
/* It changed nothing of the training. */
bool replay_told_nothing(const struct trace_event *ev);

#endif
