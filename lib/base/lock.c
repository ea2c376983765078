/* Files that one program at a time may write: by flock, as temporary files have it (out.h). */
#define _DEFAULT_SOURCE 1 /* flock */
#define _DARWIN_C_SOURCE 1
#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 50, BETWEEN = 20 /* milliseconds: a program that was killed needs some to end */ };

/* 1: it is held; 0: there is nothing to hold; -1: another program holds it, or has put another in its place just now. */
static int try_lock(const char *path, int *fd)
{
    struct stat st;
    *fd = open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*fd < 0)
        return 0;
    int got = fstat(*fd, &st) < 0 || !S_ISREG(st.st_mode) ? 0
              : flock(*fd, LOCK_EX | LOCK_NB) == 0        ? 1
                                                          : errno == EWOULDBLOCK ? -1 : 0;
    if (got > 0 && lock_passed(*fd, path))
        got = -1;
    if (got > 0)
        return got;
    close(*fd);
    *fd = NO_LOCK;
    return got;
}

int lock_file(const char *path, int *fd, struct err *e)
{
    for (int i = 0; i < TRIES; i++) {
        if (try_lock(path, fd) >= 0)
            return 0;
        poll(NULL, 0, BETWEEN);
    }
    return err_set(e, ERR_SYSTEM, "%s: another program that still runs writes it; end that one, or name another file",
                   path);
}

bool lock_passed(int fd, const char *path)
{
    struct stat held, there;
    return fd != NO_LOCK && fstat(fd, &held) == 0 && stat(path, &there) == 0 &&
           (held.st_dev != there.st_dev || held.st_ino != there.st_ino);
}
