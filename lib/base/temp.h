/* A temporary file without a name: it goes when it is closed, or with the program, however that ends. */
#ifndef BASE_TEMP_H
#define BASE_TEMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Zeroed before use, and then `folder` set where one is known; temp_close at the end. The file is made by the first
 * write, if not before. */
struct temp {
    const char *folder; /* it lies in $TMPDIR, else here, else (NULL) in /var/tmp */
    int fd;
    bool open;
    uint64_t bytes; /* so far */
};

/* Makes the file, unless it is there. -1: ERR_SYSTEM, with the folder. */
int temp_open(struct temp *t, struct err *e);

/* Adds n bytes at the end. -1: ERR_SYSTEM, with the folder. */
int temp_append(struct temp *t, const void *data, size_t n, struct err *e);

/* The n bytes from `at` on; they were written. -1: ERR_SYSTEM. */
int temp_read(const struct temp *t, uint64_t at, void *to, size_t n, struct err *e);

void temp_close(struct temp *t);

#endif
