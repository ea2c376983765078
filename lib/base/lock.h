/* Files that one program at a time may write. */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include <stdbool.h>

#include "base/err.h"

enum { NO_LOCK = -1 };

/* *fd holds the file at path as long as it is open; whoever is about to end is waited for. NO_LOCK where there is no plain
 * file, or nothing to hold it with. -1 and e (ERR_SYSTEM): another program holds it. */
int lock_file(const char *path, int *fd, struct err *e);

/* Another file stands at path than the one that fd, which may be NO_LOCK, holds. */
bool lock_passed(int fd, const char *path);

#endif
