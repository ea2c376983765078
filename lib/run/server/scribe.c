/* The process that writes a file beside the server. */
#include "run/server/scribe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#ifdef HAVE_PRCTL
#include <sys/prctl.h>
#endif

#include "base/bytes.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/out.h"
#include "base/temp.h"

enum { FDS_MAX = 1 << 16, NUMBER = 8 };

struct scribe {
    const char *path, *before;
    pid_t pid;     /* 0: it is not there any more */
    int talk;      /* orders and answers */
    int memory;    /* what both see */
    int held;      /* the file, which no other program is to write (lock.h): the process has it open */
    void *room;    /* mapped; or NULL */
    size_t mapped; /* bytes */
};

struct order {
    size_t bytes, at;
};

/* What the process does. */

static int map(struct scribe *s, size_t bytes, struct err *e)
{
    if (s->room != NULL)
        munmap(s->room, s->mapped);
    s->room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->memory, 0);
    s->mapped = bytes;
    if (s->room != MAP_FAILED)
        return 0;
    s->room = NULL;
    return err_memory(e);
}

/* A pipe cannot be synced: it keeps nothing that could be lost, and would take us for its reader. */
static void sync_before(const char *path)
{
    struct stat st;
    bool file = path != NULL && stat(path, &st) == 0 && S_ISREG(st.st_mode);
    int fd = !file ? -1 : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

/* Who wrote it since goes on with the run, and this server should have ended before. */
static int check_own(const struct scribe *s, struct err *e)
{
    if (!lock_passed(s->held, s->path))
        return 0;
    return err_set(e, ERR_SYSTEM, "%s: another program has written it since; end one of the two", s->path);
}

/* In place of what was held. */
static void hold(struct scribe *s, int fd)
{
    if (s->held != NO_LOCK)
        close(s->held);
    s->held = fd;
}

static int write_file(struct scribe *s, const struct order *o, struct err *e)
{
    struct out out;
    unsigned char *bytes;
    if ((s->room == NULL || s->mapped < o->bytes) && map(s, o->bytes, e) < 0)
        return -1;
    bytes = s->room;
    size_t from = o->at + NUMBER;
    put_u64(bytes + o->at, (uint32_t)crc32_z(crc32(0, NULL, 0), bytes + from, o->bytes - from));
    if (check_own(s, e) < 0 || out_open(&out, s->path, e) < 0)
        return -1;
    sync_before(s->before);
    int next = fcntl(out.fd, F_DUPFD_CLOEXEC, 0); /* it is locked already */
    int rc = out_write(&out, bytes, o->bytes, e);
    if (rc == 0)
        rc = out_commit(&out, e);
    else
        out_abort(&out);
    if (rc == 0)
        hold(s, next);
    else if (next != NO_LOCK)
        close(next);
    return rc;
}

/* Until the server closes its end. */
static void serve(struct scribe *s)
{
    struct order o;
    while (recv(s->talk, &o, sizeof o, MSG_WAITALL) == (ssize_t)sizeof o) {
        struct err e = { 0 };
        write_file(s, &o, &e);
        if (send(s->talk, &e, sizeof e, MSG_NOSIGNAL) < 0)
            return;
    }
}

/* A descriptor that the server closes must be closed, whoever else had it open. */
static void keep_only(int a, int b, int c)
{
    long most = sysconf(_SC_OPEN_MAX);
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    for (int fd = STDERR_FILENO + 1; fd < (most > 0 && most < FDS_MAX ? most : FDS_MAX); fd++)
        if (fd != a && fd != b && fd != c)
            close(fd);
}

static void be_scribe(struct scribe *s, int talk, pid_t server)
{
    static const int stopping[] = { SIGINT, SIGTERM, SIGHUP };
    for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++)
        signal(stopping[i], SIG_IGN);
#ifdef HAVE_PRCTL
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    keep_only(talk, s->memory, s->held);
    s->talk = talk;
    if (getppid() == server)
        serve(s);
    _exit(0);
}

/* What the server does. */

/* A file that only this process and its children have; a temporary one where the system has none in memory. */
static int memory_file(struct err *e)
{
#ifdef HAVE_MEMFD_CREATE
    int fd = memfd_create("dsgd", MFD_CLOEXEC);
    if (fd >= 0)
        return fd;
    if (errno != ENOSYS)
        return err_sys(e, "shared memory");
#endif
    struct temp t = { 0 };
    return temp_open(&t, e) < 0 ? -1 : t.fd;
}

static int start(struct scribe *s, struct err *e)
{
    int pair[2];
    pid_t server = getpid();
    s->memory = memory_file(e);
    if (s->memory < 0)
        return -1;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        return err_sys(e, "a socket");
    for (int i = 0; i < 2; i++)
        fcntl(pair[i], F_SETFD, FD_CLOEXEC);
    s->pid = fork();
    if (s->pid == 0)
        be_scribe(s, pair[1], server);
    close(pair[1]);
    s->talk = pair[0];
    if (s->pid > 0)
        return 0;
    s->pid = 0;
    return err_sys(e, "fork");
}

struct scribe *scribe_open(const char *path, const char *before, struct err *e)
{
    struct scribe *s = mem_new(1, sizeof *s, e);
    if (s == NULL)
        return NULL;
    *s = (struct scribe){ .path = path, .before = before, .talk = -1, .memory = -1 };
    int rc = lock_file(path, &s->held, e);
    if (rc == 0) {
        out_sweep(path);
        rc = start(s, e);
        hold(s, NO_LOCK); /* the process has it */
    }
    if (rc == 0)
        return s;
    scribe_close(s);
    return NULL;
}

static void end(struct scribe *s)
{
    if (s->pid == 0)
        return;
    kill(s->pid, SIGKILL);
    waitpid(s->pid, NULL, 0);
    s->pid = 0;
    out_sweep(s->path);
}

void scribe_close(struct scribe *s)
{
    if (s == NULL)
        return;
    end(s);
    if (s->room != NULL)
        munmap(s->room, s->mapped);
    if (s->memory >= 0)
        close(s->memory);
    if (s->talk >= 0)
        close(s->talk);
    free(s);
}

void *scribe_room(struct scribe *s, size_t bytes, struct err *e)
{
    if (s->room != NULL && s->mapped >= bytes)
        return s->room;
    if (ftruncate(s->memory, (off_t)bytes) < 0) {
        err_sys(e, "%zu bytes of shared memory", bytes);
        return NULL;
    }
    return map(s, bytes, e) < 0 ? NULL : s->room;
}

static int gone(struct err *e)
{
    return err_set(e, ERR_SYSTEM, "the process that writes it has ended");
}

int scribe_write(struct scribe *s, size_t bytes, size_t at, struct err *e)
{
    struct order o = { bytes, at };
    return send(s->talk, &o, sizeof o, MSG_NOSIGNAL) == (ssize_t)sizeof o ? 0 : gone(e);
}

int scribe_fd(const struct scribe *s)
{
    return s->talk;
}

int scribe_answer(struct scribe *s, struct err *e)
{
    struct err answer;
    if (recv(s->talk, &answer, sizeof answer, MSG_WAITALL) != (ssize_t)sizeof answer)
        return gone(e);
    if (answer.kind == ERR_OK)
        return 0;
    *e = answer;
    return -1;
}
