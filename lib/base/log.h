/* Notices for people: one line each on stderr, never on stdout. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

#include "base/err.h"

struct log {
    const char *name; /* the program's */
    int level;        /* -1 quiet, 0 usual, 1 verbose */
    unsigned long *lost; /* counts lines that stderr does not take now, instead of waiting; NULL: waits */
};

/* Whether a line can be written without waiting for who reads stderr, or may wait. */
bool log_ready(const struct log *l);

/* "name: text" unless quiet. */
void log_note(const struct log *l, const char *fmt, ...) ERR_PRINTF(2);

/* The same, only when verbose. */
void log_detail(const struct log *l, const char *fmt, ...) ERR_PRINTF(2);

#endif
