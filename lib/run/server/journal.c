/* The trace of the server's run (-t). */
#include "run/server/journal.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/mem.h"
#include "run/checkpoint.h"

enum { BLOCK = 1 << 12, MEBI = 1 << 20, ITERATION = 5 /* column, from 0 */ };
static const double reader_stopped = 5; /* seconds without taking anything, after which that is told */

struct journal {
    const char *name;
    struct stream *stream; /* NULL: of a file before the run begins, or when the trace has ended */
    char *made;            /* the file was made to see whether it can be, and is empty; or NULL */
    unsigned char *block;  /* lines that the stream does not have yet; or NULL */
    size_t used, room;     /* bytes of it */
    struct trace_place written;
    unsigned column;  /* of the next byte to be written */
    uint64_t number;  /* in the cell of the iteration, so far */
    uint64_t updates; /* as of the last whole line that is written */
    double took;      /* clock_now() when something was written last, or nothing was waiting */
    bool told;        /* that the reader has stopped */
    struct err stuck; /* the disk is full; or ERR_OK */
    int lock;         /* on the file, or NO_LOCK */
};

/* How far a trace with these bytes is. */
static void follow(struct journal *j, const unsigned char *bytes, size_t n)
{
    j->written.bytes += n;
    j->written.crc = (uint32_t)crc32_z(j->written.crc, bytes, n);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = bytes[i];
        if (c == '\n') {
            j->updates = j->number > j->updates ? j->number : j->updates;
            j->column = 0;
            j->number = 0;
        } else if (c == '\t') {
            j->column++;
        } else if (j->column == ITERATION && c >= '0' && c <= '9') {
            j->number = j->number * 10 + (uint64_t)(c - '0');
        }
    }
}

/* It is the status of a run that ends well otherwise. */
static void is_cut(struct server *s, const struct err *e)
{
    struct err why = *e;
    why.kind = ERR_SYSTEM;
    err_ctx(&why, "the trace ends after update %" PRIu64, s->journal->updates);
    server_unwritten(s, &why);
}

static void drop_block(struct journal *j)
{
    free(j->block);
    j->block = NULL;
    j->used = j->room = 0;
}

static void broken(void *self, struct err *e)
{
    struct server *s = self;
    log_note(s->log, "%s: the trace ends after update %" PRIu64 ", and no replay goes beyond that", e->text,
             s->journal->updates);
    is_cut(s, e);
    s->trace.take = NULL;
    s->journal->written.cut = true;
    drop_block(s->journal);
}

static void finished(void *self)
{
    event_active(((struct server *)self)->settle, 0, 0);
}

static void wrote(void *self, const unsigned char *bytes, size_t n)
{
    struct server *s = self;
    struct journal *j = s->journal;
    follow(j, bytes, n);
    j->took = clock_now();
    j->told = false;
    if (j->stuck.kind != ERR_OK)
        log_note(s->log, "%s: there is room again, and nothing of the trace is missing", j->name);
    j->stuck = (struct err){ 0 };
}

static void stuck(void *self, const struct err *e)
{
    struct server *s = self;
    s->journal->stuck = *e;
    log_note(s->log,
             "%s: the trace ends after update %" PRIu64 ", and no replay goes beyond that, unless there is room "
             "before %d MiB more wait for it",
             e->text, s->journal->updates, JOURNAL_ROOM / MEBI);
}

static const struct stream_calls stream_calls = {
    .broken = broken, .finished = finished, .wrote = wrote, .stuck = stuck
};

static void hand_over(struct journal *j)
{
    void *bytes = j->block;
    size_t n = j->used;
    j->block = NULL;
    j->used = j->room = 0;
    if (n > 0)
        stream_put(j->stream, bytes, n);
    else
        free(bytes);
}

static void give_up(const struct journal *j)
{
    struct err e = j->stuck;
    if (e.kind == ERR_OK)
        err_set(&e, ERR_SYSTEM, "%s: %s %d MiB waiting", j->name,
                stream_unread(j->stream) ? "nobody has read the" : "its reader has left", JOURNAL_ROOM / MEBI);
    stream_break(j->stream, &e);
}

static int need_room(struct journal *j, size_t n, struct err *e)
{
    if (j->used + n > j->room)
        hand_over(j);
    if (j->block != NULL)
        return 0;
    j->room = n > BLOCK ? n : BLOCK;
    j->block = malloc(j->room);
    return j->block == NULL ? err_memory(e) : 0;
}

/* A line, or the first two. The stream may break, and the trace with it, at any time. */
static void take(void *to, const char *bytes, size_t n)
{
    struct server *s = to;
    struct journal *j = s->journal;
    struct err e = { 0 };
    if (need_room(j, n, &e) < 0) {
        stream_break(j->stream, &e);
        return;
    }
    if (j->written.cut) {
        drop_block(j);
        return;
    }
    memcpy(j->block + j->used, bytes, n);
    j->used += n;
    if (stream_waiting(j->stream) + j->used > JOURNAL_ROOM)
        give_up(j);
}

/* A trace that cannot be written is better known before the workers have read their data. */
static int try_file(struct journal *j, struct err *e)
{
    struct stat was;
    bool there = stat(j->name, &was) == 0;
    int fd = open(j->name, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_sys(e, "%s", j->name);
    close(fd);
    if (!there)
        j->made = realpath(j->name, NULL);
    return lock_file(j->name, &j->lock, e);
}

/* There is a trace that this run may go on with. */
static bool goes_on(const struct server *s)
{
    struct stat st;
    return s->resumed != NULL && stat(s->journal->name, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
}

/* Reads it as far as the run goes on with it. -1: it is shorter. */
static int follow_file(struct journal *j, uint64_t end)
{
    unsigned char block[BLOCK];
    int fd = open(j->name, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : 1;
    while (n > 0 && j->written.bytes < end) {
        uint64_t left = end - j->written.bytes;
        n = read(fd, block, left < sizeof block ? (size_t)left : sizeof block);
        if (n > 0)
            follow(j, block, (size_t)n);
    }
    if (fd >= 0)
        close(fd);
    return n > 0 || end == 0 ? 0 : -1;
}

static int check_begun(struct server *s, struct err *e)
{
    struct journal *j = s->journal;
    const struct trace_place *at = &s->resumed->trace;
    if (at->bytes == 0)
        return err_set(e, ERR_DATA, "%s: is not empty, and the run that goes on here had no trace; name another file",
                       j->name);
    if (follow_file(j, at->bytes) < 0 || j->written.crc != at->crc)
        return err_set(e, ERR_DATA,
                       "%s: is not the trace of the run that goes on here: its first %ju bytes are missing or "
                       "differ; name a new file",
                       j->name, (uintmax_t)at->bytes);
    if (!at->cut)
        return 0;
    err_set(e, ERR_SYSTEM, "%s: could not be written beyond", j->name);
    log_note(s->log,
             "%s: ends after update %" PRIu64 ", where it could not be written; it stays as it is, and this run has "
             "no trace (name a new file)",
             j->name, j->updates);
    is_cut(s, e);
    *e = (struct err){ 0 };
    j->written.cut = true;
    return 0;
}

/* Its reader must not see an end before the beginning: what may have one stays open. */
static int open_stream(struct server *s, const struct stream_to *to, struct err *e)
{
    s->journal->stream = stream_open(s->base, to, &stream_calls, s, e);
    if (s->journal->stream == NULL)
        return -1;
    if (stream_unread(s->journal->stream))
        log_note(s->log, "%s: nobody reads this FIFO yet; up to %d MiB of the trace wait for a reader", to->name,
                 JOURNAL_ROOM / MEBI);
    return 0;
}

int journal_open(struct server *s, struct err *e)
{
    const char *path = s->conf->train.trace;
    struct stream_to to;
    int found = path == NULL ? 0 : stream_find(path, &to, e);
    if (path == NULL || found < 0)
        return found;
    s->journal = mem_new(1, sizeof *s->journal, e);
    if (s->journal == NULL)
        return -1;
    *s->journal = (struct journal){ .name = found ? to.name : path, .took = clock_now(), .lock = NO_LOCK };
    if (found)
        return open_stream(s, &to, e);
    if (goes_on(s) && check_begun(s, e) < 0)
        return -1;
    return s->journal->written.cut ? 0 : try_file(s->journal, e);
}

/* The folder was there when the workers were awaited; now nobody is to wait for it. */
static void open_file(struct server *s, bool on)
{
    struct journal *j = s->journal;
    struct err e = { 0 };
    struct stream_to to = { .name = j->name, .own = true, .lossless = true, .patience = STREAM_PATIENCE };
    int how = O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    to.fd = open(j->name, on ? how : how | O_TRUNC, 0666);
    if (to.fd < 0 || (on && ftruncate(to.fd, (off_t)j->written.bytes) < 0)) {
        err_sys(&e, "%s", j->name);
        if (to.fd >= 0)
            close(to.fd);
    } else {
        j->stream = stream_open(s->base, &to, &stream_calls, s, &e);
    }
    if (j->stream == NULL)
        broken(s, &e);
}

int journal_begin(struct server *s, struct err *e)
{
    struct journal *j = s->journal;
    if (j == NULL || j->written.cut)
        return 0;
    bool on = j->written.bytes > 0;
    if (j->stream == NULL)
        open_file(s, on);
    if (j->written.cut)
        return 0;
    if (on)
        trace_hand_on(&s->trace, take, s, &s->resumed->trace);
    else if (trace_hand(&s->trace, take, s, s->about, e) < 0)
        return -1;
    journal_flush(s);
    return 0;
}

static bool writing(const struct journal *j)
{
    return j != NULL && j->stream != NULL && !j->written.cut;
}

/* What waits behind other lines is handed over when there is a block of it. */
void journal_flush(struct server *s)
{
    struct journal *j = s->journal;
    double now = clock_now();
    if (!writing(j))
        return;
    if (stream_waiting(j->stream) == 0) {
        j->took = now;
        hand_over(j);
    }
    if (j->told || j->stuck.kind != ERR_OK || stream_unread(j->stream) || now - j->took < reader_stopped)
        return;
    j->told = true;
    log_note(s->log, "%s: its reader takes nothing; up to %d MiB of the trace wait for it", j->name,
             JOURNAL_ROOM / MEBI);
}

struct trace_place journal_place(const struct server *s)
{
    const struct journal *j = s->journal;
    struct trace_place at = { 0 };
    if (j == NULL)
        return at;
    if (writing(j) && stream_waiting(j->stream) + j->used == 0)
        return s->trace.marked;
    at = j->written;
    at.cut = true;
    return at;
}

void journal_finish(struct server *s)
{
    struct journal *j = s->journal;
    if (j == NULL || j->stream == NULL)
        return;
    if (!j->written.cut)
        hand_over(j);
    stream_finish(j->stream);
}

const struct stream *journal_stream(const struct server *s)
{
    return s->journal == NULL ? NULL : s->journal->stream;
}

/* The run never began. */
static void remove_made(const struct journal *j)
{
    struct stat st;
    if (j->made != NULL && stat(j->made, &st) == 0 && st.st_size == 0)
        unlink(j->made);
}

void journal_close(struct server *s)
{
    struct journal *j = s->journal;
    if (j == NULL)
        return;
    if (writing(j))
        hand_over(j);
    s->trace.take = NULL;
    stream_close(j->stream);
    remove_made(j);
    if (j->lock != NO_LOCK)
        close(j->lock);
    drop_block(j);
    free(j->made);
    free(j);
    s->journal = NULL;
}
