/* Pieces of work out of a text with named columns. */
#include "run/spans.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "data/fields.h"
#include "run/logs.h"
#include "run/places.h"

enum column { WORKER, DURATION, START, END, STEP, COLUMNS };
enum { NONE = -1, SHOWN = 40 };

static const char *const usual[COLUMNS] = { "worker", "duration", "start", "end", "step" };

struct reader {
    struct source source;
    struct fields record;
    const char *wanted[COLUMNS]; /* named on the command line, or NULL */
    long at[COLUMNS];            /* place in the record, or NONE */
    size_t columns;
    const char *unit; /* of bare numbers */
};

static const char *file(const struct reader *r)
{
    return r->source.name;
}

/* The names are of one kind of separator or another: whichever is there. */
static char separator_of(const struct source *s)
{
    static const char known[] = "\t;,";
    size_t line = 0;
    while (line < s->head_n && s->head[line] != '\n')
        line++;
    for (const char *c = known; *c; c++)
        if (memchr(s->head, *c, line))
            return *c;
    return ',';
}

static bool is_named(struct reader *r, size_t i, const char *name)
{
    size_t n;
    const char *text = fields_text(&r->record, i, &n);
    return strlen(name) == n && memcmp(text, name, n) == 0;
}

/* "the columns are a, b, c": what would have been allowed. */
static int no_column(struct reader *r, const char *what, struct err *e)
{
    char known[400] = "";
    size_t used = 0, n;
    for (size_t i = 0; i < r->record.n && used < sizeof known - SHOWN - 8; i++) {
        const char *text = fields_text(&r->record, i, &n);
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%.*s", i > 0 ? ", " : ": ",
                                 (int)(n < SHOWN ? n : SHOWN), text);
    }
    return err_set(e, ERR_DATA, "%s:1: no column %s among the %zu%s", file(r), what, r->record.n, known);
}

static int find_column(struct reader *r, enum column c, struct err *e)
{
    const char *name = r->wanted[c] ? r->wanted[c] : usual[c];
    r->at[c] = NONE;
    for (size_t i = 0; i < r->record.n; i++)
        if (is_named(r, i, name)) {
            if (r->at[c] != NONE)
                return err_set(e, ERR_DATA, "%s:1: more than one column '%s'", file(r), name);
            r->at[c] = (long)i;
        }
    char quoted[SHOWN + 3];
    snprintf(quoted, sizeof quoted, "'%.*s'", SHOWN, name);
    return r->at[c] == NONE && r->wanted[c] ? no_column(r, quoted, e) : 0;
}

static int read_header(struct reader *r, struct err *e)
{
    int more = fields_next(&r->record, e);
    if (more <= 0)
        return more < 0 ? -1 : err_set(e, ERR_DATA, "%s: empty: the first line names the columns", file(r));
    r->columns = r->record.n;
    for (enum column c = 0; c < COLUMNS; c++)
        if (find_column(r, c, e) < 0)
            return -1;
    if (r->at[DURATION] != NONE || (r->at[START] != NONE && r->at[END] != NONE))
        return 0;
    return no_column(r, "'duration', nor 'start' and 'end' (--duration, --start, --end name them)", e);
}

/* A time with or without a unit of its own; before the start of all times it is negative. */
static int read_time(struct reader *r, enum column c, double *v, struct err *e)
{
    size_t n;
    const char *cell = fields_text(&r->record, (size_t)r->at[c], &n);
    char text[SHOWN + 1], whole[2 * SHOWN];
    snprintf(text, sizeof text, "%.*s", (int)(n < SHOWN ? n : SHOWN), cell);
    struct err other = { 0 };
    bool negative = c != DURATION && text[0] == '-';
    bool bare = num_real(text, v, &other) == 0;
    snprintf(whole, sizeof whole, "%s%s", text + negative, bare ? r->unit : "");
    int status = n == 0 ? err_set(e, ERR_DATA, "the value is missing")
                 : n > SHOWN ? err_set(e, ERR_DATA, "too long for a number") : num_duration(whole, v, e);
    if (negative)
        *v = -*v;
    return status < 0 ? err_ctx(e, "%s '%s'", usual[c], text) : 0;
}

static int read_step(struct reader *r, struct span *s, struct err *e)
{
    size_t n;
    const char *cell = fields_text(&r->record, (size_t)r->at[STEP], &n);
    if (num_double(cell, cell + n, &s->step) == cell + n && isfinite(s->step))
        return 0;
    return err_set(e, ERR_DATA, "step '%.*s': not a number", (int)(n < SHOWN ? n : SHOWN), cell);
}

static int read_times(struct reader *r, struct span *s, struct err *e)
{
    double end = NAN;
    s->start = s->step = NAN;
    if ((r->at[START] != NONE && read_time(r, START, &s->start, e) < 0) ||
        (r->at[STEP] != NONE && read_step(r, s, e) < 0))
        return -1;
    if (r->at[DURATION] != NONE)
        return read_time(r, DURATION, &s->seconds, e);
    if (read_time(r, END, &end, e) < 0)
        return -1;
    s->seconds = end - s->start;
    if (s->seconds >= 0)
        return 0;
    return err_set(e, ERR_DATA, "end %g is before start %g: %g s", end, s->start, s->seconds);
}

static int read_row(struct reader *r, struct span *s, struct err *e)
{
    size_t n = 0;
    *s = (struct span){ .line = r->record.lines.line };
    if (r->record.n != r->columns)
        return err_set(e, ERR_DATA, "%zu fields, expected %zu", r->record.n, r->columns);
    if (read_times(r, s, e) < 0)
        return -1;
    const char *name = r->at[WORKER] == NONE ? "" : fields_text(&r->record, (size_t)r->at[WORKER], &n);
    s->name = mem_print(e, "%.*s", (int)n, name);
    return s->name ? 0 : -1;
}

static int read_rows(struct reader *r, struct spans *s, struct err *e)
{
    int more;
    while ((more = fields_next(&r->record, e)) > 0) {
        if (mem_grow(&s->v, &s->cap, s->n + 1, sizeof *s->v, e) < 0)
            return -1;
        if (read_row(r, &s->v[s->n], e) < 0) {
            e->kind = e->kind == ERR_USAGE ? ERR_DATA : e->kind;
            return lines_blame(&r->record.lines, e);
        }
        s->n++;
    }
    return more < 0 ? -1 : s->n > 0 ? 0 : err_set(e, ERR_DATA, "%s: no row in it", file(r));
}

int spans_add(struct spans *s, struct span *p, struct err *e)
{
    if (mem_grow(&s->v, &s->cap, s->n + 1, sizeof *s->v, e) == 0) {
        s->v[s->n++] = *p;
        return 0;
    }
    free(p->name);
    return -1;
}

static bool whole(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* Numbers by value: 10 comes after 9. Then the order of time, or of steps, or of lines. */
static int by_name(const void *a, const void *b)
{
    const struct span *p = a, *q = b;
    const char *x = p->name, *y = q->name;
    if (whole(x) && whole(y)) {
        x += strspn(x, "0");
        y += strspn(y, "0");
        if (strlen(x) != strlen(y))
            return strlen(x) < strlen(y) ? -1 : 1;
    }
    return strcmp(x, y);
}

static int by_place(const void *a, const void *b)
{
    const struct span *p = a, *q = b;
    int names = by_name(a, b);
    if (names != 0)
        return names;
    if (p->start != q->start && !isnan(p->start))
        return p->start < q->start ? -1 : 1;
    if (p->step != q->step && !isnan(p->step))
        return p->step < q->step ? -1 : 1;
    return (p->line > q->line) - (p->line < q->line);
}

/* One piece of work after the other, where nothing says when each began. */
static int arrange(struct spans *s, const char *name, struct err *e)
{
    qsort(s->v, s->n, sizeof *s->v, by_place);
    for (size_t i = 0; i < s->n; i++) {
        struct span *now = &s->v[i], *last = i > 0 && by_name(now, now - 1) == 0 ? now - 1 : NULL;
        now->worker = last ? last->worker : s->workers++;
        if (isnan(now->start))
            now->start = last ? last->start + last->seconds : 0;
        if (last && now->start < last->start + last->seconds)
            return err_set(e, ERR_DATA, "%s:%zu: worker '%s' starts at %g, but what it does in line %zu "
                           "ends at %g", name, now->line, now->name, now->start, last->line,
                           last->start + last->seconds);
    }
    double first = s->v[0].start;
    for (size_t i = 1; i < s->n; i++)
        first = fmin(first, s->v[i].start);
    for (size_t i = 0; i < s->n; i++)
        s->v[i].start -= first;
    return 0;
}

static int open_source(struct reader *r, const char *path, const struct log *log, struct err *e)
{
    if (source_open(&r->source, path, log, e) < 0)
        return -1;
    int more = source_next(&r->source, e);
    if (more <= 0)
        return more < 0 ? -1 : err_set(e, ERR_DATA, "%s: nothing in it", path);
    r->record.lines.source = &r->source;
    r->record.separator = separator_of(&r->source);
    return 0;
}

static int check_unit(const char *unit, struct err *e)
{
    char one[16];
    double v;
    struct err ignored = { 0 };
    snprintf(one, sizeof one, "1%s", unit);
    if (whole(one) || num_duration(one, &v, &ignored) < 0)
        return err_set(e, ERR_USAGE, "--unit: '%s': known are s, ms, us, ns, m, h", unit);
    return 0;
}

static int read_table(struct reader *r, struct spans *s, struct err *e)
{
    return read_header(r, e) < 0 || read_rows(r, s, e) < 0 ? -1 : arrange(s, file(r), e);
}

/* In logs of clusters a place does many things at a time. */
static int read_log(log_reader *log_read, struct reader *r, struct spans *s, const struct import_conf *c,
                    const struct log *log, struct err *e)
{
    if (c->duration != NULL || c->start != NULL || c->end != NULL || c->step != NULL)
        return err_set(e, ERR_USAGE, "--%s: %s is no table with named columns, but a log whose fields are known",
                       c->duration ? "duration" : c->start ? "start" : c->end ? "end" : "step", file(r));
    if (log_read(s, &r->source, c, log, e) < 0)
        return -1;
    if (s->n == 0)
        return err_set(e, ERR_DATA, "%s: no completed job in it", file(r));
    return places_spread(s, e) < 0 ? -1 : arrange(s, file(r), e);
}

int spans_read(struct spans *s, const struct import_conf *c, const char *path, const struct log *log,
               struct err *e)
{
    struct reader r = { .unit = c->unit,
                        .wanted = { c->worker, c->duration, c->start, c->end, c->step } };
    if (check_unit(c->unit, e) < 0)
        return -1;
    int status = open_source(&r, path, log, e);
    log_reader *known = status == 0 ? log_known(&r.source) : NULL;
    if (status == 0)
        status = known != NULL ? read_log(known, &r, s, c, log, e) : read_table(&r, s, e);
    fields_free(&r.record);
    source_close(&r.source);
    return status;
}

void spans_free(struct spans *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->v[i].name);
    free(s->v);
    *s = (struct spans){ 0 };
}
