/* Operands opened: a file, stdin, or ARCHIVE//MEMBER. */
#include "data/opening.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static int open_file(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

static bool is_folder(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
}

/* In front of the last "//", or NULL: no archive can be meant. */
static char *split_of(char *path)
{
    char *split = NULL;
    for (char *at = path; (at = strstr(at, "//")) != NULL; at++)
        split = at;
    return split != NULL && split[2] != '\0' ? split : NULL;
}

/* The archive that path is cut to. A folder is none: a slash was doubled, and the file is what is missing. */
static int open_archive(char *path, char *split, char **member, struct err *e)
{
    *split = '\0';
    int fd = open_file(path);
    if (fd < 0)
        return err_sys(e, "%s", path);
    if (is_folder(fd)) {
        close(fd);
        *split = '/';
        errno = ENOENT;
        return err_sys(e, "%s", path);
    }
    *member = mem_text(split + 2, e);
    if (*member != NULL)
        return fd;
    close(fd);
    return -1;
}

int opening(const char *path, const char *stdin_name, char **file, char **member, struct err *e)
{
    bool standard = strcmp(path, "-") == 0;
    *file = mem_text(standard ? stdin_name : path, e);
    if (*file == NULL)
        return -1;
    if (standard)
        return STDIN_FILENO;
    int fd = open_file(path), why = errno;
    char *split = fd < 0 ? split_of(*file) : NULL;
    if (fd < 0 && split != NULL)
        return open_archive(*file, split, member, e);
    errno = why;
    return fd < 0 ? err_sys(e, "%s", *file) : fd;
}
