/* Operands that are the same data. */
#include "data/twice.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

/* An operand: a regular file, or text of which no file has the name (ARCHIVE//MEMBER). */
struct operand {
    const char *path;
    dev_t device;
    ino_t file;
    bool known; /* the two above are */
    size_t at;  /* its place on the command line */
};

static int compare(const struct operand *a, const struct operand *b)
{
    if (a->known != b->known)
        return a->known - b->known;
    if (!a->known)
        return strcmp(a->path, b->path);
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return (a->file > b->file) - (a->file < b->file);
}

static int by_file(const void *x, const void *y)
{
    const struct operand *a = x, *b = y;
    int order = compare(a, b);
    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

static struct operand look_at(const char *path, size_t at)
{
    struct stat st;
    struct operand o = { .path = path, .at = at };
    if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode))
        o = (struct operand){ path, st.st_dev, st.st_ino, true, at };
    return o;
}

void twice_note(char *const *paths, size_t n, const struct log *log)
{
    struct err ignored = { 0 };
    struct operand *v = mem_new(n, sizeof *v, &ignored);
    if (v == NULL)
        return;
    for (size_t i = 0; i < n; i++)
        v[i] = look_at(paths[i], i);
    qsort(v, n, sizeof *v, by_file);
    for (size_t i = 0, same; i < n; i += same) {
        for (same = 1; i + same < n && compare(&v[i], &v[i + same]) == 0;)
            same++;
        if (same > 1)
            log_note(log, "%s is given %zu times%s%s: so are its rows", v[i].path, same,
                     strcmp(v[i].path, v[i + 1].path) == 0 ? "" : ", also as ",
                     strcmp(v[i].path, v[i + 1].path) == 0 ? "" : v[i + 1].path);
    }
    free(v);
}
