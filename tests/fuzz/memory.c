/* A file in memory, for what reads files. */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <string.h>
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

bool is_slow(const uint8_t *data, size_t n)
{
    static const struct {
        size_t n;
        const char *text;
    } magic[] = { { 5, "\xfd" "7zXZ" }, { 4, "7z\xbc\xaf" }, { 4, "LZIP" }, { 3, "\x5d\0\0" }, { 2, "\x1f\x9d" } };
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
        if (n >= magic[i].n && memcmp(data, magic[i].text, magic[i].n) == 0)
            return true;
    return false;
}
