/* What a trace tells, as rows: the table of verbs, and the way through a trace that all share. */
#include "run/report/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* One way through a trace. */
struct hearing {
    const struct report_ops *ops;
    const struct report_conf *c;
    void *state;
    struct trace_reader reader;
    struct ledger ledger;
};

static int hear_all(struct hearing *h, struct err *e)
{
    struct trace_event ev;
    struct fact f;
    int got;
    while ((got = trace_next(&h->reader, &ev, e)) > 0)
        if (ledger_hear(&h->ledger, &ev, &f, e) < 0 || h->ops->event(h->state, &ev, &f, e) < 0)
            return err_ctx(e, "%s:%zu", h->reader.path, h->reader.line);
    if (got == 0 && h->reader.cut)
        log_note(&h->c->log, "%s:%zu: the last line has no newline: left out", h->reader.path,
                 h->reader.line + 1);
    return got;
}

static int hear_trace(struct hearing *h, struct err *e)
{
    if (trace_start(&h->reader, h->c->operand, e) < 0)
        return -1;
    if (h->ops->start && h->ops->start(h->state, h->c, h->reader.meta, e) < 0)
        return -1;
    return hear_all(h, e) < 0 ? -1 : h->ops->rows(h->state, h->c, &h->ledger, e);
}

static int hear(const struct report_ops *ops, const struct report_conf *c, struct err *e)
{
    struct hearing h = { .ops = ops, .c = c, .state = mem_new(1, ops->state, e) };
    if (h.state == NULL)
        return -1;
    int status = hear_trace(&h, e);
    ops->close(h.state);
    ledger_free(&h.ledger);
    trace_end(&h.reader);
    free(h.state);
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

/* A terminal is read only when it was asked for, by -, and then it is said. */
static int check_terminal(const struct report_conf *c, bool given, struct err *e)
{
    if (strcmp(c->operand, "-") != 0 || !isatty(STDIN_FILENO))
        return 0;
    if (!given)
        return err_set(e, ERR_USAGE, "FILE is missing, and standard input is a terminal (- reads it)");
    log_note(&c->log, "reading standard input, which is a terminal");
    return 0;
}

/* Those behind the verb; without any, standard input. */
static int take_operands(const struct report_ops *ops, struct report_conf *c, char *const *operands, size_t n,
                         struct err *e)
{
    static char input[] = "-";
    static char *const inputs[] = { input };
    if (n > 2 && !ops->many)
        return err_set(e, ERR_USAGE, "'%s': one operand behind the verb (see %s --help)", operands[2],
                       c->log.name);
    c->operands = n > 1 ? operands + 1 : inputs;
    c->count_operands = n > 1 ? n - 1 : 1;
    c->operand = c->operands[0];
    return 0;
}

int report_run(struct report_conf *c, char *const *operands, size_t n, struct err *e)
{
    struct spec verb = { 0 };
    if (n == 0)
        return err_set(e, ERR_USAGE, "VERB is missing (see %s --help)", c->log.name);
    if (strcmp(operands[0], "help") == 0) {
        table_print(&report_table, stdout);
        return 0;
    }
    if (spec_parse(&verb, &report_table, operands[0], e) < 0)
        return -1;
    const struct report_ops *ops = (const struct report_ops *)verb.plug;
    int status = take_operands(ops, c, operands, n, e);
    if (status == 0)
        status = check_options(ops, c, e);
    if (status == 0)
        status = check_terminal(c, n > 1, e);
    if (status == 0)
        status = ops->run ? ops->run(c, e) : hear(ops, c, e);
    spec_free(&verb);
    return status;
}
