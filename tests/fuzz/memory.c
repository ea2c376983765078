/* A file in memory, for what reads files. */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

static void make(struct memory_file *f)
{
    f->fd = memfd_create("fuzz", 0);
    promise(f->fd >= 0);
    snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->fd);
}

void memory_file(struct memory_file *f, const uint8_t *data, size_t n)
{
    if (f->path[0] == '\0')
        make(f);
    promise(ftruncate(f->fd, (off_t)n) == 0 && pwrite(f->fd, data, n, 0) == (ssize_t)n);
    lseek(f->fd, 0, SEEK_SET);
}
