/* What one place does at the same time is the work of several workers. */
#ifndef RUN_PLACES_H
#define RUN_PLACES_H

#include "base/err.h"
#include "run/spans.h"

/* Spans of one name that overlap get NAME#2, NAME#3, ...: each the first that is free. One that begins within
 * rounding of the end of the one before begins there. */
int places_spread(struct spans *s, struct err *e);

#endif
