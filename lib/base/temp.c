/* Temporary files without a name. */
#include "base/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

static const char *folder_of(const struct temp *t)
{
    const char *set = getenv("TMPDIR");
    if (set != NULL && *set != '\0')
        return set;
    return t->folder ? t->folder : "/var/tmp";
}

static int failed(const struct temp *t, struct err *e)
{
    return err_sys(e, "temporary file in %s ($TMPDIR chooses the folder)", folder_of(t));
}

/* Where the system cannot make a file without a name: no signal comes between its making and the loss of its name. */
static int make_named(const char *folder, struct err *e)
{
    sigset_t all, was;
    char *name = mem_print(e, "%s/.dsgd.XXXXXX", folder);
    if (name == NULL)
        return -1;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &was);
    int fd = mkstemp(name), why = errno;
    if (fd >= 0) {
        unlink(name);
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    sigprocmask(SIG_SETMASK, &was, NULL);
    free(name);
    errno = why;
    return fd;
}

int temp_open(struct temp *t, struct err *e)
{
    const char *folder = folder_of(t);
    if (t->open)
        return 0;
    t->fd = -1;
#if HAVE_DECL_O_TMPFILE
    t->fd = open(folder, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
#endif
    if (t->fd < 0)
        t->fd = make_named(folder, e);
    if (t->fd < 0)
        return e->kind != ERR_OK ? -1 : failed(t, e);
    t->open = true;
    return 0;
}

/* A file too large is an error of write, not a signal. */
int temp_append(struct temp *t, const void *data, size_t n, struct err *e)
{
    const char *at = data;
    struct sigaction ignore = { .sa_handler = SIG_IGN }, was;
    if (temp_open(t, e) < 0)
        return -1;
    sigaction(SIGXFSZ, &ignore, &was);
    while (n > 0) {
        ssize_t k = write(t->fd, at, n);
        if (k < 0 && errno != EINTR)
            break;
        if (k > 0) {
            at += k;
            n -= (size_t)k;
            t->bytes += (uint64_t)k;
        }
    }
    int why = errno;
    sigaction(SIGXFSZ, &was, NULL);
    errno = why;
    return n > 0 ? failed(t, e) : 0;
}

int temp_read(const struct temp *t, uint64_t at, void *to, size_t n, struct err *e)
{
    char *into = to;
    while (n > 0) {
        ssize_t k = pread(t->fd, into, n, (off_t)at);
        if (k == 0)
            errno = EIO;
        if (k <= 0 && errno != EINTR)
            return failed(t, e);
        if (k > 0) {
            into += k;
            at += (uint64_t)k;
            n -= (size_t)k;
        }
    }
    return 0;
}

void temp_close(struct temp *t)
{
    if (t->open)
        close(t->fd);
    *t = (struct temp){ .folder = t->folder };
}
