/* The Standard Workload Format of the Parallel Workloads Archive: 18 numbers a job, comments behind ';'. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "data/fields.h"
#include "run/logs.h"

enum { SUBMIT = 1, WAIT = 2, RUN = 3, STATUS = 10, FIELDS = 18, SHOWN = 40 };
static const struct {
    const char *name;
    size_t at;
} groups[] = { { "user", 11 }, { "group", 12 }, { "executable", 13 }, { "queue", 14 }, { "partition", 15 } };

static int number(struct fields *f, size_t i, double *v, struct err *e)
{
    size_t n;
    const char *text = fields_text(f, i, &n);
    if (n > 0 && num_double(text, text + n, v) == text + n && isfinite(*v))
        return 0;
    return err_set(e, ERR_DATA, "field %zu '%.*s': not a number", i + 1, (int)(n < SHOWN ? n : SHOWN), text);
}

/* Which field names the worker; FIELDS: none. */
static int group_of(const struct import_conf *c, size_t *at, struct err *e)
{
    *at = FIELDS;
    for (size_t i = 0; i < sizeof groups / sizeof *groups && c->worker != NULL; i++)
        if (strcmp(c->worker, groups[i].name) == 0)
            *at = groups[i].at;
    if (c->worker == NULL || *at != FIELDS)
        return 0;
    return err_set(e, ERR_USAGE, "--worker '%s': of an SWF log it is user, group, executable, queue or partition",
                   c->worker);
}

/* A job that was not completed, or whose run time nobody knows, is skipped. */
static int read_job(struct fields *f, size_t group, struct spans *to, size_t *skipped, struct err *e)
{
    double submit, wait, run, status;
    size_t n = 0;
    if (f->n != FIELDS)
        return err_set(e, ERR_DATA, "%zu fields, expected 18", f->n);
    if (number(f, SUBMIT, &submit, e) < 0 || number(f, WAIT, &wait, e) < 0 || number(f, RUN, &run, e) < 0 ||
        number(f, STATUS, &status, e) < 0)
        return -1;
    if (run < 0 || (status != 1 && status != -1)) {
        ++*skipped;
        return 0;
    }
    const char *name = group == FIELDS ? "" : fields_text(f, group, &n);
    struct span p = { submit + fmax(wait, 0), run, NAN, mem_print(e, "%.*s", (int)n, name), 0, f->lines.line };
    return p.name == NULL ? -1 : spans_add(to, &p, e);
}

int swf_read(struct spans *to, struct source *source, const struct import_conf *c, const struct log *log, struct err *e)
{
    struct fields f = { .lines = { .source = source }, .separator = FIELDS_BLANKS };
    size_t group, skipped = 0;
    int more = 0, status = group_of(c, &group, e);
    while (status == 0 && (more = fields_line(&f, e)) > 0) {
        if (f.size == 0 || f.text[strspn(f.text, " \t")] == ';')
            continue;
        if (fields_cut(&f, e) < 0)
            status = -1;
        else if (!fields_empty(&f) && read_job(&f, group, to, &skipped, e) < 0)
            status = lines_blame(&f.lines, e);
    }
    if (skipped > 0 && status == 0)
        log_note(log, "%s: %zu jobs that were not completed are left out", source->name, skipped);
    fields_free(&f);
    return status < 0 || more < 0 ? -1 : 0;
}
