/* Outputs of a program that must not be one and the same. */
#include "run/outputs.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER = 4096 };

static bool look(const struct output *o, struct stat *st)
{
    if (o->path == NULL)
        return fstat(o->fd, st) == 0;
    return strcmp(o->path, "-") == 0 ? fstat(STDOUT_FILENO, st) == 0 : stat(o->path, st) == 0;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The folder of a file that is not there yet; its name in it is returned. */
static const char *folder(const char *path, struct stat *st, bool *found)
{
    char text[FOLDER] = ".";
    const char *slash = strrchr(path, '/');
    size_t n = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    if (n > 0 && n < sizeof text) {
        memcpy(text, path, n);
        text[n] = '\0';
    }
    *found = n < sizeof text && stat(text, st) == 0;
    return slash == NULL ? path : slash + 1;
}

/* Neither is there yet. */
static bool same_place(const struct output *a, const struct output *b)
{
    struct stat sa, sb;
    bool fa, fb;
    if (a->path == NULL || b->path == NULL)
        return false;
    const char *na = folder(a->path, &sa, &fa), *nb = folder(b->path, &sb, &fb);
    return strcmp(na, nb) == 0 && fa && fb && same_file(&sa, &sb);
}

static bool standard(const struct output *o)
{
    return o->path == NULL ? o->fd == STDOUT_FILENO : strcmp(o->path, "-") == 0;
}

static bool same(const struct output *a, const struct output *b)
{
    struct stat sa, sb;
    if (standard(a) && standard(b))
        return true;
    bool there_a = look(a, &sa), there_b = look(b, &sb);
    if (there_a && there_b)
        return same_file(&sa, &sb) && !S_ISCHR(sa.st_mode);
    return !there_a && !there_b && same_place(a, b);
}

int outputs_distinct(const struct output *v, size_t n, struct err *e)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            if (same(&v[i], &v[k]))
                return err_set(e, ERR_USAGE, "%s and %s are the same: give each its own",
                               v[i].option, v[k].option);
    return 0;
}
