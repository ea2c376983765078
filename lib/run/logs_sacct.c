/* What Slurm's `sacct -P` prints: a header and rows with bars between. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "data/fields.h"
#include "run/logs.h"

enum column { ID, STATE, NODES, RAW, ELAPSED, START, END, COLUMNS };
static const char *const names[COLUMNS] = { "JobID", "State", "NodeList", "ElapsedRaw", "Elapsed", "Start", "End" };
enum { NONE = -1, SHOWN = 80, MINUTE = 60, HOUR = 3600, DAY = 86400 };

struct sacct {
    struct fields record;
    long at[COLUMNS];
    size_t columns, skipped;
};

static void cell(struct sacct *s, enum column c, char text[SHOWN + 1])
{
    size_t n = 0;
    const char *cell = s->at[c] == NONE ? "" : fields_text(&s->record, (size_t)s->at[c], &n);
    snprintf(text, SHOWN + 1, "%.*s", (int)(n < SHOWN ? n : SHOWN), cell);
}

/* Digits up to one of `ends`, which is skipped. */
static bool digits(const char **at, const char *ends, double *v)
{
    const char *start = *at;
    for (*v = 0; **at >= '0' && **at <= '9'; ++*at)
        *v = *v * 10 + (**at - '0');
    bool good = *at > start && (*ends == '\0' ? **at == '\0' : **at != '\0' && strchr(ends, **at) != NULL);
    *at += **at != '\0';
    return good;
}

/* [DD-[HH:]]MM:SS, maybe with a fraction, which is left out. */
static bool read_elapsed(const char *text, double *seconds)
{
    double days = 0, part[3];
    const char *dash = strchr(text, '-'), *at = text;
    size_t colons = 0, n = strcspn(text, ".");
    char whole[SHOWN + 1];
    snprintf(whole, sizeof whole, "%.*s", (int)n, text);
    at = whole;
    if (dash != NULL && !digits(&at, "-", &days))
        return false;
    for (const char *c = at; *c; c++)
        colons += *c == ':';
    if (colons < 1 || colons > 2)
        return false;
    for (size_t i = 0; i <= colons; i++)
        if (!digits(&at, i < colons ? ":" : "", &part[i]))
            return false;
    *seconds = days * DAY + (colons == 2 ? part[0] * HOUR + part[1] * MINUTE + part[2] : part[0] * MINUTE + part[1]);
    return true;
}

/* 2026-01-31T08:00:00, as if every day had 24 hours: days of the civil calendar. */
static bool read_date(const char *text, double *seconds)
{
    double v[6];
    static const char *const ends[] = { "-", "-", "T", ":", ":", "" };
    const char *at = text;
    for (int i = 0; i < 6; i++)
        if (!digits(&at, ends[i], &v[i]))
            return false;
    double year = v[0] - (v[1] <= 2), month = v[1] + (v[1] <= 2 ? 9 : -3);
    double days = 365 * year + floor(year / 4) - floor(year / 100) + floor(year / 400) + floor((153 * month + 2) / 5) + v[2];
    *seconds = days * DAY + v[3] * HOUR + v[4] * MINUTE + v[5];
    return v[1] >= 1 && v[1] <= 12 && v[2] >= 1 && v[2] <= 31;
}

static int read_times(struct sacct *s, struct span *p, struct err *e)
{
    char raw[SHOWN + 1], elapsed[SHOWN + 1], start[SHOWN + 1], end[SHOWN + 1];
    const char *at = raw;
    double stop;
    cell(s, RAW, raw);
    cell(s, ELAPSED, elapsed);
    cell(s, START, start);
    cell(s, END, end);
    p->start = NAN;
    if (*start != '\0' && !read_date(start, &p->start))
        return err_set(e, ERR_DATA, "Start '%s': not a time as 2026-01-31T08:00:00", start);
    if (*raw != '\0')
        return digits(&at, "", &p->seconds) ? 0 : err_set(e, ERR_DATA, "ElapsedRaw '%s': not a number of seconds", raw);
    if (*elapsed != '\0')
        return read_elapsed(elapsed, &p->seconds) ? 0 : err_set(e, ERR_DATA, "Elapsed '%s': not [DD-]HH:MM:SS", elapsed);
    if (!read_date(end, &stop) || isnan(p->start))
        return err_set(e, ERR_DATA, "End '%s': not a time as 2026-01-31T08:00:00", end);
    p->seconds = stop - p->start;
    return p->seconds >= 0 ? 0 : err_set(e, ERR_DATA, "End %s is before Start %s", end, start);
}

/* 1: a job that counts; 0: another, or a step of one. */
static int read_job(struct sacct *s, struct spans *to, struct err *e)
{
    char text[SHOWN + 1];
    struct span p = { .step = NAN, .line = s->record.lines.line };
    if (s->record.n != s->columns)
        return err_set(e, ERR_DATA, "%zu fields, expected %zu", s->record.n, s->columns);
    cell(s, ID, text);
    if (strchr(text, '.') != NULL)
        return 0;
    cell(s, STATE, text);
    if (s->at[STATE] != NONE && strcmp(text, "COMPLETED") != 0) {
        s->skipped++;
        return 0;
    }
    cell(s, NODES, text);
    if (read_times(s, &p, e) < 0 || (p.name = mem_text(text, e)) == NULL)
        return -1;
    return spans_add(to, &p, e);
}

static int read_header(struct sacct *s, const struct import_conf *c, struct err *e)
{
    s->columns = s->record.n;
    for (enum column k = 0; k < COLUMNS; k++) {
        const char *name = k == NODES && c->worker != NULL ? c->worker : names[k];
        s->at[k] = NONE;
        for (size_t i = 0; i < s->record.n; i++) {
            size_t n;
            const char *text = fields_text(&s->record, i, &n);
            if (strlen(name) == n && memcmp(text, name, n) == 0)
                s->at[k] = (long)i;
        }
    }
    if (c->worker != NULL && s->at[NODES] == NONE)
        return err_set(e, ERR_DATA, "no column '%s'; ask sacct for it: sacct -P -o JobID,State,Start,ElapsedRaw,%s",
                       c->worker, c->worker);
    if (s->at[RAW] == NONE && s->at[ELAPSED] == NONE && (s->at[START] == NONE || s->at[END] == NONE))
        return err_set(e, ERR_DATA, "no column ElapsedRaw nor Elapsed, nor Start and End; ask sacct for them: "
                       "sacct -P -o JobID,State,NodeList,Start,ElapsedRaw");
    return 0;
}

int sacct_read(struct spans *to, struct source *source, const struct import_conf *c, const struct log *log,
               struct err *e)
{
    struct sacct s = { .record = { .lines = { .source = source }, .separator = '|' } };
    int more = fields_next(&s.record, e), status = more < 0 ? -1 : 0;
    if (more > 0 && read_header(&s, c, e) < 0)
        status = lines_blame(&s.record.lines, e);
    while (status == 0 && (more = fields_next(&s.record, e)) > 0)
        if (read_job(&s, to, e) < 0)
            status = lines_blame(&s.record.lines, e);
    if (s.skipped > 0 && status == 0)
        log_note(log, "%s: %zu jobs that were not COMPLETED are left out", source->name, s.skipped);
    fields_free(&s.record);
    return status < 0 || more < 0 ? -1 : 0;
}
