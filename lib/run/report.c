/* What a trace tells, as rows: the table of verbs, and the way through a trace that all share. */
#include "run/report.h"

#include <stdlib.h>

#include "base/mem.h"

#define REPORT(name) extern const struct report_ops report_##name;
#include "run/report.def"
#undef REPORT

#define REPORT(name) &report_##name.plug,
static const struct plug *const rows[] = {
#include "run/report.def"
    NULL,
};
#undef REPORT

const struct table report_table = { "verb", rows };

static int hear_all(const struct report_ops *ops, void *state, struct trace_reader *t, struct err *e)
{
    struct trace_event ev;
    int got;
    while ((got = trace_next(t, &ev, e)) > 0)
        if (ops->event(state, &ev, e) < 0)
            return err_ctx(e, "%s:%zu", t->path, t->line);
    return got;
}

static int print_rows(const struct report_ops *ops, void *state, bool json, struct err *e)
{
    struct tsv out;
    tsv_open(&out, stdout, json, ops->columns);
    return ops->rows(state, &out, e);
}

int report_run(const struct report_conf *conf, struct err *e)
{
    const struct report_ops *ops = (const void *)conf->verb->plug;
    struct trace_reader reader = { 0 };
    void *state = mem_new(1, ops->state, e);
    if (state == NULL)
        return -1;
    int status = trace_start(&reader, conf->path, e);
    if (status == 0)
        status = hear_all(ops, state, &reader, e);
    if (status == 0 && reader.cut)
        log_note(conf->log, "%s:%zu: the last line has no newline: left out", reader.path,
                 reader.line + 1);
    if (status == 0)
        status = print_rows(ops, state, conf->json, e);
    ops->close(state);
    trace_end(&reader);
    free(state);
    return status;
}
