/* What a trace tells, as rows: the verbs of dsgd-trace. */
#ifndef RUN_REPORT_H
#define RUN_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/plug.h"
#include "base/trace.h"
#include "base/tsv.h"
#include "run/import.h"
#include "run/report/plot.h"
#include "run/price.h"
#include "run/report/ledger.h"

/* What dsgd-trace is asked. */
struct report_conf {
    struct log log;
    uint64_t given; /* bits of the rows of opts that were on the command line */
    const struct opt *opts;
    const char *operand; /* behind the verb; "-" when there was none */
    char *const *operands; /* all of them: count_operands, at least that one */
    size_t count_operands;
    bool json;
    const char *by;       /* fit: "worker", or NULL */
    uint64_t count, seed; /* sample */
    struct import_conf import;
    struct price_conf price; /* summary */
    struct plot_conf plot;
};

/* A row of the table: a verb. Either it hears every event in the order of the trace, each checked by the
 * ledger, then gives its rows, so that nothing is printed of a trace that turns out to be broken; or it
 * has `run`, and none of the others. */
struct report_ops {
    struct plug plug;
    const char *const *columns; /* end with NULL */
    size_t state;               /* bytes, zeroed before the first event */
    int (*start)(void *state, const struct report_conf *c, const json_t *meta, struct err *e); /* or NULL */
    int (*event)(void *state, const struct trace_event *ev, const struct fact *f, struct err *e); /* e without the place */
    /* After the last event; l: what was left in hand. */
    int (*rows)(void *state, const struct report_conf *c, const struct ledger *l, struct err *e);
    void (*close)(void *state);
    int (*run)(const struct report_conf *c, struct err *e);
    const char *const *options; /* long names of those that it takes; ends with NULL. NULL: none */
    bool many; /* takes more than one operand */
};

extern const struct table report_table;

/* The verb and its file, or what else it works on; "help" prints the table. Rows go to stdout. */
int report_run(struct report_conf *c, char *const *operands, size_t n, struct err *e);

#endif
