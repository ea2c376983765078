/* Notices for people: one line each on stderr, never on stdout. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

#include "base/err.h"

/* Of one whose work must not wait for who reads stderr. */
struct stderr_reader {
    unsigned long lost; /* lines that it did not take in time */
    int patience;       /* milliseconds; a signal ends them, and after they were in vain there are none */
};

struct log {
    const char *name; /* the program's */
    int level;        /* -1 quiet, 0 usual, 1 verbose */
    struct stderr_reader *reader; /* NULL: whoever it is, he is waited for */
};

/* Whether a line can be written now, within the reader's patience. */
bool log_ready(const struct log *l);

/* Lines of a text as they are; what is not taken is counted. */
void log_lines(const struct log *l, const char *text);

/* "name: text" unless quiet. */
void log_note(const struct log *l, const char *fmt, ...) ERR_PRINTF(2);

/* The same, only when verbose. */
void log_detail(const struct log *l, const char *fmt, ...) ERR_PRINTF(2);

#endif
