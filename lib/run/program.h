/* A program of the user's on pipes, which does not outlive us, however we end.
 *
 * A second shell waits for the end of a pipe that only we hold open, and then kills the program's group: so it
 * goes with us when we are killed, too. */
#ifndef RUN_PROGRAM_H
#define RUN_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* Zeroed before use. Descriptors are our ends of its stdin, stdout and stderr, non-blocking; -1: closed. */
struct program {
    pid_t pid, guard; /* 0: there is none */
    int in, out, err;
    int lifeline;
};

/* Starts it; command and set as in shell_start. ERR_SYSTEM. */
int program_start(struct program *p, const char *command, const char *const *set, struct err *e);

bool program_ended(const struct program *p);

/* No more is written to it: it sees the end of its input. */
void program_close_input(struct program *p);

/* Ends it: waits `patience` seconds for it to end by itself, kills what is left of its group, and reaps. Its
 * output is open still, for what it said last; program_close closes that. Returns what became of it, as in
 * shell_fate, in text. */
const char *program_end(struct program *p, double patience, char *text, size_t room);
void program_close(struct program *p);

#endif
