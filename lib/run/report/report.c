/* What a trace tells, as rows: the table of verbs, and the way through a trace that all share. */
#include "run/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define REPORT(name) extern const struct report_ops report_##name;
#include "run/report/report.def"
#undef REPORT

#define REPORT(name) &report_##name.plug,
static const struct plug *const rows[] = {
#include "run/report/report.def"
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

static int hear(const struct report_ops *ops, const struct report_conf *c, struct err *e)
{
    struct trace_reader reader = { 0 };
    void *state = mem_new(1, ops->state, e);
    if (state == NULL)
        return -1;
    int status = trace_start(&reader, c->operand, e);
    if (status == 0)
        status = hear_all(ops, state, &reader, e);
    if (status == 0 && reader.cut)
        log_note(&c->log, "%s:%zu: the last line has no newline: left out", reader.path,
                 reader.line + 1);
    if (status == 0)
        status = print_rows(ops, state, c->json, e);
    ops->close(state);
    trace_end(&reader);
    free(state);
    return status;
}

static bool takes(const struct report_ops *ops, const char *option)
{
    const char *const *name = ops->options;
    while (name && *name && strcmp(*name, option) != 0)
        name++;
    return (name && *name) || (ops->columns && strcmp(option, "json") == 0);
}

/* An option that a verb does not take was meant for another one. */
static int check_options(const struct report_ops *ops, const struct report_conf *c, struct err *e)
{
    for (size_t i = 0; c->opts[i].name; i++)
        if ((c->given >> i & 1) && !takes(ops, c->opts[i].name))
            return err_set(e, ERR_USAGE, "--%s: %s does not take it", c->opts[i].name, ops->plug.name);
    return 0;
}

int report_run(struct report_conf *c, char *const *operands, size_t n, struct err *e)
{
    struct spec verb = { 0 };
    if (n == 0)
        return err_set(e, ERR_USAGE, "VERB is missing (see %s --help)", c->log.name);
    if (n > 2)
        return err_set(e, ERR_USAGE, "'%s': one operand behind the verb (see %s --help)", operands[2],
                       c->log.name);
    if (strcmp(operands[0], "help") == 0) {
        table_print(&report_table, stdout);
        return 0;
    }
    if (spec_parse(&verb, &report_table, operands[0], e) < 0)
        return -1;
    const struct report_ops *ops = (const struct report_ops *)verb.plug;
    c->operand = n == 2 ? operands[1] : "-";
    int status = check_options(ops, c, e);
    if (status == 0)
        status = ops->run ? ops->run(c, e) : hear(ops, c, e);
    spec_free(&verb);
    return status;
}
