/* Whether an event is the recorded one. */
#ifndef RUN_REPLAY_MATCH_H
#define RUN_REPLAY_MATCH_H

#include <stdbool.h>

#include "base/err.h"
#include "base/trace.h"

/* 0, or -1 and ERR_DATA: the first column in which they differ, but for time, and both values. losses: the
 * losses of this replay are computed. */
int replay_match(const struct trace_event *here, const struct trace_event *recorded, bool losses,
                 struct err *e);

#endif
