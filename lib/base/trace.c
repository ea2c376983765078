/* The trace of a run: its events, and the writer. */
#include "base/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/trace_format.h"

const char *const trace_names[TRACE_KINDS] = {
    [TRACE_JOIN] = "join",     [TRACE_SEND] = "send", [TRACE_PUSH] = "push",
    [TRACE_UPDATE] = "update", [TRACE_VOID] = "void", [TRACE_CANCELLED] = "cancelled",
    [TRACE_LATE] = "late",     [TRACE_DROP] = "drop", [TRACE_GONE] = "gone",
    [TRACE_LEAVE] = "leave",   [TRACE_SET] = "set",   [TRACE_STOP] = "stop",
};

struct trace_event trace_event(enum trace_kind kind, double time)
{
    return (struct trace_event){
        .time = time,
        .kind = kind,
        .worker = TRACE_NA,
        .seq = TRACE_NA,
        .version = TRACE_NA,
        .iteration = TRACE_NA,
        .staleness = TRACE_NA,
        .rows = TRACE_NA,
        .compute = NAN,
        .delay = NAN,
        .loss = NAN,
    };
}

/* Remembers the first failure. */
static void check(struct trace_writer *t, int result)
{
    if (result < 0 && t->failed == 0)
        t->failed = errno == 0 ? EIO : errno;
}

static int open_log(struct trace_writer *t, const char *path, int flags, struct err *e)
{
    memset(t, 0, sizeof *t);
    t->path = mem_text(strcmp(path, "-") == 0 ? "<stdout>" : path, e);
    if (t->path == NULL)
        return -1;
    int fd = strcmp(path, "-") == 0
                 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                 : open(path, O_CREAT | O_APPEND | O_CLOEXEC | flags, 0666);
    t->file = fd < 0 ? NULL : fdopen(fd, "a");
    if (t->file != NULL)
        return 0;
    err_sys(e, "%s", path);
    if (fd >= 0)
        close(fd);
    free(t->path);
    t->path = NULL;
    return -1;
}

static void put(struct trace_writer *t, const char *bytes, size_t n)
{
    if (t->file != NULL)
        check(t, fwrite(bytes, 1, n, t->file) < n ? -1 : 0);
    else
        t->take(t->to, bytes, n);
    t->here.bytes += n;
    t->here.crc = (uint32_t)crc32_z(t->here.crc, (const unsigned char *)bytes, n);
}

static int give_up(struct trace_writer *t)
{
    struct err ignored = { 0 };
    trace_close(t, &ignored);
    return -1;
}

static int begin(struct trace_writer *t, const json_t *meta, struct err *e)
{
    char *about = json_dumps(meta, JSON_COMPACT);
    char *lines = about == NULL ? NULL : mem_print(e, TRACE_MAGIC " %s\n" TRACE_HEADER "\n", about);
    free(about);
    if (lines == NULL) {
        err_memory(e);
        return give_up(t);
    }
    put(t, lines, strlen(lines));
    trace_mark(t);
    free(lines);
    return trace_flush(t, e) < 0 ? give_up(t) : 0;
}

int trace_open(struct trace_writer *t, const char *path, const json_t *meta, struct err *e)
{
    return open_log(t, path, O_WRONLY | O_TRUNC, e) < 0 ? -1 : begin(t, meta, e);
}

int trace_hand(struct trace_writer *t, void (*take)(void *to, const char *bytes, size_t n), void *to,
               const json_t *meta, struct err *e)
{
    *t = (struct trace_writer){ .take = take, .to = to };
    return begin(t, meta, e);
}

void trace_hand_on(struct trace_writer *t, void (*take)(void *to, const char *bytes, size_t n), void *to,
                   const struct trace_place *at)
{
    *t = (struct trace_writer){ .take = take, .to = to, .here = *at };
    trace_mark(t);
}

/* Digits of v, or NA, and the tab behind; returns the end. */
static char *put_whole(char *at, uint64_t v)
{
    char digits[20];
    int n = 0;
    if (v == TRACE_NA)
        return (char *)memcpy(at, "NA\t", 3) + 3;
    do
        digits[n++] = (char)('0' + v % 10);
    while ((v /= 10) > 0);
    while (n > 0)
        *at++ = digits[--n];
    *at++ = '\t';
    return at;
}

static char *put_real(char *at, double v)
{
    num_print_double(at, v);
    at += strlen(at);
    *at++ = '\t';
    return at;
}

/* A note is a cell: whatever would end it becomes a blank. */
static char *put_note(char *at, const char *note)
{
    if (note[0] == '\0')
        note = "NA";
    for (; *note; note++)
        *at++ = *note == '\t' || *note == '\n' || *note == '\r' ? ' ' : *note;
    *at++ = '\n';
    return at;
}

void trace_write(struct trace_writer *t, const struct trace_event *ev)
{
    char line[800]; /* time and name 360, 6 wholes of 21, 3 reals of 32, the note of 128 */
    if (t->see != NULL)
        t->see(t->self, ev);
    if ((t->file == NULL && t->take == NULL) || t->failed)
        return;
    char *at = line + snprintf(line, 360, "%.9f\t%s\t", ev->time, trace_names[ev->kind]);
    const uint64_t wholes[] = { ev->worker,    ev->seq,       ev->version,
                                ev->iteration, ev->staleness, ev->rows };
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++)
        at = put_whole(at, wholes[i]);
    at = put_real(at, ev->compute);
    at = put_real(at, ev->delay);
    at = put_real(at, ev->loss);
    at = put_note(at, ev->note);
    put(t, line, (size_t)(at - line));
    if (t->file != NULL && ev->time - t->flushed >= 1) {
        check(t, fflush(t->file));
        t->flushed = ev->time;
    }
}

int trace_flush(struct trace_writer *t, struct err *e)
{
    if (t->file == NULL || t->told)
        return 0;
    if (t->failed == 0)
        check(t, fflush(t->file));
    if (t->failed == 0)
        return 0;
    t->told = 1;
    errno = t->failed;
    return err_sys(e, "%s", t->path);
}

int trace_close(struct trace_writer *t, struct err *e)
{
    int status = trace_flush(t, e);
    if (t->file != NULL && fclose(t->file) != 0 && status == 0 && !t->told)
        status = err_sys(e, "%s", t->path);
    free(t->path);
    memset(t, 0, sizeof *t);
    return status;
}
