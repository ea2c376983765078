/* Outputs of a program that must not be one and the same. */
#ifndef RUN_OUTPUTS_H
#define RUN_OUTPUTS_H

#include <stddef.h>

#include "base/err.h"

/* path NULL: the open descriptor fd; "-" is stdout. */
struct output {
    const char *option; /* how it was asked for, for messages */
    const char *path;
    int fd;
};

/* ERR_USAGE names two that are the same path or the same file; devices may be shared. */
int outputs_distinct(const struct output *v, size_t n, struct err *e);

#endif
