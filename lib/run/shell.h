/* A command of the user's, by /bin/sh -c, in a process group of its own. */
#ifndef RUN_SHELL_H
#define RUN_SHELL_H

#include <sys/types.h>

#include "base/err.h"

/* Starts it with fd[i] as its descriptor i (0, 1 and 2; -1: ours), no signal ignored or blocked that its parent
 * ignores or blocks, and the texts NAME=VALUE of `set`, which ends with NULL, in place of what our environment
 * has under their names. ERR_SYSTEM. */
int shell_start(pid_t *pid, const char *command, const int fd[3], const char *const *set, struct err *e);

/* What a status of waitpid means: "ended with status 3", "was ended by signal 9". Returns text. */
const char *shell_fate(int status, char *text, size_t room);

#endif
