/* The trace of a run: the reader. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/trace.h"
#include "base/trace_format.h"

enum column {
    TIME,
    EVENT,
    WORKER,
    SEQ,
    VERSION,
    ITERATION,
    STALENESS,
    ROWS,
    COMPUTE,
    DELAY,
    LOSS,
    NOTE,
    COLUMNS
};

static const char *const column_names[COLUMNS] = { "time",    "event",     "worker",    "seq",
                                                   "version", "iteration", "staleness", "rows",
                                                   "compute", "delay",     "loss",      "note" };

/* What an event cannot do without; of its whole-numbered columns. */
#define NEEDS(column) (1u << (column))
static const unsigned needs[TRACE_KINDS] = {
    [TRACE_JOIN] = NEEDS(WORKER) | NEEDS(VERSION),
    [TRACE_SEND] = NEEDS(WORKER) | NEEDS(VERSION),
    [TRACE_PUSH] = NEEDS(WORKER) | NEEDS(SEQ) | NEEDS(STALENESS) | NEEDS(ROWS),
    [TRACE_UPDATE] = NEEDS(ITERATION),
    [TRACE_VOID] = NEEDS(WORKER) | NEEDS(SEQ),
    [TRACE_CANCELLED] = NEEDS(WORKER) | NEEDS(SEQ),
    [TRACE_LATE] = NEEDS(WORKER) | NEEDS(SEQ),
    [TRACE_DROP] = NEEDS(WORKER) | NEEDS(SEQ),
    [TRACE_GONE] = NEEDS(WORKER),
    [TRACE_LEAVE] = NEEDS(WORKER),
};

void trace_end(struct trace_reader *t)
{
    if (t->ours)
        fclose(t->file);
    free(t->path);
    free(t->buffer);
    json_decref(t->meta);
    memset(t, 0, sizeof *t);
}

/* Puts "path:line: " in front. */
static int blame(const struct trace_reader *t, struct err *e)
{
    if (e->kind == ERR_USAGE)
        e->kind = ERR_DATA; /* a number's text is the file's, not the command line's */
    return err_ctx(e, "%s:%zu", t->path, t->line);
}

/* The next whole line without its newline into t->buffer: 1; 0 at the end; -1. */
static int next_line(struct trace_reader *t, size_t *length, struct err *e)
{
    errno = 0;
    ssize_t n = getline(&t->buffer, &t->room, t->file);
    if (n < 0)
        return feof(t->file) && !ferror(t->file) ? 0 : err_sys(e, "%s", t->path);
    if (t->buffer[n - 1] != '\n') {
        t->cut = 1;
        return 0;
    }
    t->buffer[--n] = '\0';
    t->line++;
    *length = (size_t)n;
    return 1;
}

static int read_meta(struct trace_reader *t, struct err *e)
{
    static const char noun[] = "# dsgd-trace ";
    size_t n, magic = strlen(TRACE_MAGIC);
    int got = next_line(t, &n, e);
    if (got < 0)
        return -1;
    if (got == 0)
        return err_set(e, ERR_DATA, "%s: %s: a trace begins with '" TRACE_MAGIC "'", t->path,
                       t->cut ? "not one whole line" : "empty");
    if (strncmp(t->buffer, noun, strlen(noun)) != 0)
        return err_set(e, ERR_DATA,
                       "%s:1: not a trace: the first line must begin with '" TRACE_MAGIC "'",
                       t->path);
    if (strncmp(t->buffer, TRACE_MAGIC " ", magic + 1) != 0)
        return err_set(e, ERR_DATA, "%s:1: trace version '%.*s': known is 1", t->path,
                       (int)strcspn(t->buffer + strlen(noun), " "), t->buffer + strlen(noun));
    json_error_t where;
    t->meta = json_loadb(t->buffer + magic, n - magic, 0, &where);
    if (t->meta == NULL || !json_is_object(t->meta))
        return err_set(e, ERR_DATA, "%s:1: must hold a JSON object behind '" TRACE_MAGIC "'%s%s",
                       t->path, t->meta == NULL ? ": " : "", t->meta == NULL ? where.text : "");
    return 0;
}

static int read_header(struct trace_reader *t, struct err *e)
{
    size_t n;
    int got = next_line(t, &n, e);
    if (got < 0)
        return -1;
    if (got == 0)
        return err_set(e, ERR_DATA, "%s:2: the line with the names of the columns is missing",
                       t->path);
    if (strcmp(t->buffer, TRACE_HEADER) != 0)
        return err_set(e, ERR_DATA, "%s:2: columns must be '" TRACE_HEADER "'", t->path);
    return 0;
}

int trace_start_file(struct trace_reader *t, FILE *file, const char *name, struct err *e)
{
    memset(t, 0, sizeof *t);
    t->path = mem_text(name, e);
    t->file = file;
    if (t->path != NULL && read_meta(t, e) == 0 && read_header(t, e) == 0)
        return 0;
    trace_end(t);
    return -1;
}

int trace_start(struct trace_reader *t, const char *path, struct err *e)
{
    memset(t, 0, sizeof *t);
    if (strcmp(path, "-") == 0)
        return trace_start_file(t, stdin, "<stdin>", e);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return err_sys(e, "%s", path);
    if (trace_start_file(t, file, path, e) < 0) {
        fclose(file);
        return -1;
    }
    t->ours = true;
    return 0;
}

/* Splits the line in place. */
static int split(char *line, size_t length, char *cells[COLUMNS + 1], struct err *e)
{
    char *at = line, *end = line + length;
    if (memchr(line, '\0', length) != NULL)
        return err_set(e, ERR_DATA, "a zero byte");
    unsigned n = 1;
    cells[0] = line;
    while ((at = memchr(at, '\t', (size_t)(end - at))) != NULL) {
        *at++ = '\0';
        if (n < COLUMNS)
            cells[n] = at;
        n++;
    }
    cells[COLUMNS] = end + 1;
    if (n != COLUMNS)
        return err_set(e, ERR_DATA, "%u columns: must be %d", n, COLUMNS);
    return 0;
}

static int is_na(const char *s)
{
    return s[0] == 'N' && s[1] == 'A' && s[2] == '\0';
}

static int read_whole(char *const *cells, enum column c, uint64_t *v, struct err *e)
{
    *v = TRACE_NA;
    if (is_na(cells[c]))
        return 0;
    if (num_whole(cells[c], v, e) < 0)
        return err_ctx(e, "%s '%s'", column_names[c], cells[c]);
    return 0;
}

static int read_real(char *const *cells, enum column c, double *v, struct err *e)
{
    *v = NAN;
    if (is_na(cells[c]))
        return 0;
    const char *end = cells[c + 1] - 1;
    if (num_double(cells[c], end, v) != end || !isfinite(*v))
        return err_set(e, ERR_DATA, "%s '%s': not a number", column_names[c], cells[c]);
    return 0;
}

static int read_kind(const char *cell, enum trace_kind *kind, struct err *e)
{
    for (int i = 0; i < TRACE_KINDS; i++)
        if (strcmp(trace_names[i], cell) == 0) {
            *kind = (enum trace_kind)i;
            return 0;
        }
    return err_set(e, ERR_DATA, "unknown event '%s'", cell);
}

/* Times come from a clock that cannot be set back, durations as well. */
static int check_times(const struct trace_reader *t, const struct trace_event *ev, struct err *e)
{
    if (isnan(ev->time))
        return err_set(e, ERR_DATA, "time is missing");
    if (ev->time < t->time)
        return err_set(e, ERR_DATA, "time %.9f: goes back, the line before has %.9f", ev->time,
                       t->time);
    if (ev->compute < 0 || ev->delay < 0)
        return err_set(e, ERR_DATA, "compute and delay must not be negative");
    return 0;
}

static int check_needs(const struct trace_event *ev, char *const *cells, struct err *e)
{
    for (enum column c = WORKER; c <= ROWS; c++)
        if ((needs[ev->kind] & NEEDS(c)) && is_na(cells[c]))
            return err_set(e, ERR_DATA, "%s without %s", trace_names[ev->kind], column_names[c]);
    return 0;
}

static int read_note(struct trace_event *ev, const char *cell, struct err *e)
{
    size_t n = strlen(cell);
    if (n >= sizeof ev->note)
        return err_set(e, ERR_DATA, "note of %zu bytes: at most %zu", n, sizeof ev->note - 1);
    memcpy(ev->note, is_na(cell) ? "" : cell, is_na(cell) ? 1 : n + 1);
    return 0;
}

static int read_cells(struct trace_event *ev, char *const *cells, struct err *e)
{
    if (read_real(cells, TIME, &ev->time, e) < 0 || read_kind(cells[EVENT], &ev->kind, e) < 0)
        return -1;
    uint64_t *const wholes[] = { &ev->worker,    &ev->seq,       &ev->version,
                                 &ev->iteration, &ev->staleness, &ev->rows };
    double *const reals[] = { &ev->compute, &ev->delay, &ev->loss };
    for (int i = 0; i < ROWS - WORKER + 1; i++)
        if (read_whole(cells, (enum column)(WORKER + i), wholes[i], e) < 0)
            return -1;
    for (int i = 0; i < LOSS - COMPUTE + 1; i++)
        if (read_real(cells, (enum column)(COMPUTE + i), reals[i], e) < 0)
            return -1;
    return read_note(ev, cells[NOTE], e);
}

int trace_next(struct trace_reader *t, struct trace_event *ev, struct err *e)
{
    char *cells[COLUMNS + 1];
    size_t n;
    int got = next_line(t, &n, e);
    if (got <= 0)
        return got;
    if (split(t->buffer, n, cells, e) < 0 || read_cells(ev, cells, e) < 0 ||
        check_times(t, ev, e) < 0 || check_needs(ev, cells, e) < 0)
        return blame(t, e);
    t->time = ev->time;
    return 1;
}

bool trace_duration(const struct trace_event *ev, double *seconds, bool *censored)
{
    static const struct {
        bool told, censored;
    } kinds[TRACE_KINDS] = {
        [TRACE_PUSH] = { true, false }, [TRACE_LATE] = { true, false },
        [TRACE_DROP] = { true, false }, [TRACE_CANCELLED] = { true, true },
        [TRACE_LEAVE] = { true, true },
    };
    *seconds = ev->compute + ev->delay;
    *censored = kinds[ev->kind].censored;
    return kinds[ev->kind].told && !isnan(*seconds) && (*seconds > 0 || !*censored);
}
