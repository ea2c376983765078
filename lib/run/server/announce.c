/* Tells the addresses of the server to those who asked for them. */
#define _XOPEN_SOURCE 700 /* realpath, which the GNU C library does not take for POSIX */
#include "run/server/announce.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "run/server/stream.h"

enum { PRIVATE = 0600, OF_OTHERS = 077 };
static const double for_ever = 1e9; /* seconds */

/* Who may take it later. */
struct told {
    struct server *server;
    struct stream *stream; /* NULL: it has taken all, or never will */
    int fd;                /* to be closed then, or NO_FD */
    char name[24];         /* of that fd, for messages */
    bool waits;            /* it did not take all at once */
    struct err failure;    /* or ERR_OK */
};

struct announcement {
    char *made; /* the file as it was written, links followed; or NULL */
    char *text; /* what was written */
    struct told file, fd;
};

/* The full addresses, one a line; free() it. */
static char *lines(const struct server *s, struct err *e)
{
    char *text = mem_text("", e);
    for (size_t i = 0; i < s->n_listeners && text != NULL; i++) {
        char full[ADDRESS_TEXT];
        char *more = mem_print(e, "%s%s\n", text,
                               address_full(&s->listeners[i].address, full, sizeof full));
        free(text);
        text = more;
    }
    return text;
}

static void close_told(struct told *t)
{
    stream_close(t->stream);
    t->stream = NULL;
    if (t->fd != NO_FD)
        close(t->fd);
    t->fd = NO_FD;
}

/* At once it is the caller's to tell. Later the run goes on: it needs who knows the address already. */
static void broken(void *self, struct err *e)
{
    struct told *t = self;
    e->kind = ERR_SYSTEM;
    t->failure = *e;
    if (!t->waits)
        return;
    err_ctx(e, "the address was not read");
    log_note(t->server->log, "%s", e->text);
    server_unwritten(t->server, e);
}

static void finished(void *self)
{
    close_told(self);
}

static const struct stream_calls calls = { .broken = broken, .finished = finished };

/* Opens t->stream, and what it does not take now waits there. */
static int tell(struct told *t, struct server *s, const struct stream_to *to, const char *text, struct err *e)
{
    t->server = s;
    char *copy = mem_text(text, e);
    t->stream = copy == NULL ? NULL : stream_open(s->base, to, &calls, t, e);
    if (t->stream == NULL) {
        free(copy);
        return -1;
    }
    stream_put(t->stream, copy, strlen(copy));
    if (t->failure.kind != ERR_OK) {
        *e = t->failure;
        return -1;
    }
    t->waits = stream_waiting(t->stream) > 0;
    if (!t->waits)
        close_told(t);
    else
        stream_finish(t->stream);
    if (t->waits)
        log_note(s->log, "%s: nobody reads it yet; the address waits for a reader", to->name);
    return 0;
}

/* With mode 0600 from the first moment: a token is in it. What is no file keeps its mode. */
static int write_file(struct server *s, const char *text, struct err *e)
{
    struct out o = { 0 };
    mode_t was = umask(OF_OTHERS);
    int rc = out_open(&o, s->conf->address_file, e);
    umask(was);
    if (rc < 0)
        return -1;
    if (o.temp != NULL && fchmod(o.fd, PRIVATE) < 0) {
        err_sys(e, "%s", s->conf->address_file);
        out_abort(&o);
        return -1;
    }
    rc = out_write(&o, text, strlen(text), e);
    if (rc == 0)
        rc = out_commit(&o, e);
    else
        out_abort(&o);
    if (rc == 0)
        s->announcement->made = realpath(s->conf->address_file, NULL);
    return rc;
}

/* A FIFO with a name that others may open. */
static int make_private(const char *path, struct err *e)
{
    struct stat st;
    if (stat(path, &st) < 0 || !S_ISFIFO(st.st_mode) || (st.st_mode & OF_OTHERS) == 0)
        return 0;
    return chmod(path, PRIVATE) < 0 ? err_sys(e, "%s", path) : 0;
}

static int tell_file(struct server *s, const char *text, struct err *e)
{
    struct stream_to to;
    if (make_private(s->conf->address_file, e) < 0)
        return -1;
    int found = stream_find(s->conf->address_file, &to, e);
    to.patience = for_ever;
    if (found <= 0)
        return found < 0 ? -1 : write_file(s, text, e);
    return tell(&s->announcement->file, s, &to, text, e);
}

/* Children must not keep it open. */
static int tell_fd(struct server *s, const char *text, struct err *e)
{
    struct told *t = &s->announcement->fd;
    int fd = s->conf->ready_fd;
    struct stream_to to = { .name = t->name, .fd = fd, .lossless = true, .patience = for_ever };
    snprintf(t->name, sizeof t->name, "--ready-fd %d", fd);
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
        return err_sys(e, "%s", to.name);
    t->fd = fd;
    return tell(t, s, &to, text, e);
}

/* Nobody else can know it, then. */
static void show(const struct server *s)
{
    for (size_t i = 0; i < s->n_listeners; i++)
        log_note(s->log, "workers connect to %s",
                 address_full(&s->listeners[i].address, (char[ADDRESS_TEXT]){ 0 }, ADDRESS_TEXT));
}

int announce(struct server *s, struct err *e)
{
    const struct server_conf *c = s->conf;
    char *text = lines(s, e);
    s->announcement = text == NULL ? NULL : mem_new(1, sizeof *s->announcement, e);
    int rc = s->announcement == NULL ? -1 : 0;
    if (rc == 0)
        s->announcement->file.fd = s->announcement->fd.fd = NO_FD;
    if (rc == 0 && c->address_file != NULL)
        rc = tell_file(s, text, e);
    if (rc == 0 && c->ready_fd != NO_FD)
        rc = tell_fd(s, text, e);
    if (rc == 0 && c->address_file == NULL && c->ready_fd == NO_FD)
        show(s);
    if (s->announcement != NULL)
        s->announcement->text = text;
    else
        free(text);
    return rc;
}

static bool says(const char *path, const char *text)
{
    size_t n = strlen(text) + 1;
    char *there = malloc(n);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool same = there != NULL && fd >= 0 && read(fd, there, n) == (ssize_t)(n - 1) && memcmp(there, text, n - 1) == 0;
    if (fd >= 0)
        close(fd);
    free(there);
    return same;
}

/* Its tokens open nothing any more. That of a server which came after this one stays. */
static void remove_file(const struct announcement *a)
{
    struct stat st;
    if (a->made != NULL && lstat(a->made, &st) == 0 && S_ISREG(st.st_mode) && says(a->made, a->text))
        unlink(a->made);
}

void announce_close(struct server *s)
{
    struct announcement *a = s->announcement;
    if (a == NULL)
        return;
    remove_file(a);
    close_told(&a->file);
    close_told(&a->fd);
    free(a->made);
    free(a->text);
    free(a);
    s->announcement = NULL;
}
