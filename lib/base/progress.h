/* How far long work is: one line on a terminal, again and again; nothing anywhere else. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/log.h"

/* Seconds between two lines. */
#define PROGRESS_PAUSE 0.5

/* Whether there is somebody to see it: stderr is a terminal, and not --quiet. */
bool progress_wanted(const struct log *l);

/* The line; what is written next to stderr takes its place. */
void progress_show(const struct log *l, const char *fmt, ...) ERR_PRINTF(2);

/* No line any more. */
void progress_wipe(void);

#endif
