/* Operands opened: a file, stdin, or ARCHIVE//MEMBER. */
#ifndef DATA_OPENING_H
#define DATA_OPENING_H

#include "base/err.h"

/* The descriptor of path, which is *file; stdin of "-". Where there is no such file, of the archive before the last
 * "//", which is *file then, and *member what stands behind. Both are the caller's to free, also after -1 (ERR_SYSTEM). */
int opening(const char *path, const char *stdin_name, char **file, char **member, struct err *e);

#endif
