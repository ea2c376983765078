/* Output files: a regular file appears under its name only when it is whole. */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include <stddef.h>

#include "base/err.h"

/* Zeroed before use. */
struct out {
    int fd;
    char *path; /* as given, for messages; "<stdout>" */
    char *final; /* where it goes, links followed; NULL when written directly */
    char *temp;  /* beside it */
};

/* "-" is stdout, refused when that is a terminal. Devices, FIFOs and /dev/fd are written directly;
 * else a temporary file beside the final place (symbolic links followed). ERR_SYSTEM names the path.
 * A temporary file goes when a signal ends the program, where that signal had its default action. */
int out_open(struct out *o, const char *path, struct err *e);

/* Removes what out_open of this path left beside it in processes that were killed. Those of living ones are locked and
 * stay. */
void out_sweep(const char *path);

/* The descriptor that a name of /dev stands for (/dev/stdout, /dev/fd/3), or -1. */
int out_descriptor(const char *path);

/* All of it, or -1. */
int out_write(struct out *o, const void *data, size_t n, struct err *e);

/* What was written is on disk, and the descriptor closed: only the commit, or the abort, is left.
 * For those who write more files than may be open at once. */
int out_finish(struct out *o, struct err *e);

/* fsync, rename, fsync of the folder; o is empty afterwards, also on failure (then nothing is left). */
int out_commit(struct out *o, struct err *e);

/* Several at once: prepares all (fsync, close), then renames all; on failure none of the
 * temporary files is left. */
int out_commit_all(struct out *o, size_t n, struct err *e);

/* Takes back what was begun; nothing is left. Harmless on an empty one. */
void out_abort(struct out *o);

#endif
