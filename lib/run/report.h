/* What a trace tells, as rows: the verbs of dsgd-trace. */
#ifndef RUN_REPORT_H
#define RUN_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/log.h"
#include "base/plug.h"
#include "base/trace.h"
#include "base/tsv.h"

/* A row of the table: a verb. It hears every event in the order of the trace, then gives its rows;
 * so nothing is printed of a trace that turns out to be broken. */
struct report_ops {
    struct plug plug;
    const char *const *columns; /* end with NULL */
    size_t state;               /* bytes, zeroed before the first event */
    int (*event)(void *state, const struct trace_event *ev, struct err *e); /* e without the place */
    int (*rows)(void *state, struct tsv *out, struct err *e);
    void (*close)(void *state);
};

extern const struct table report_table;

struct report_conf {
    const struct spec *verb; /* parsed by report_table */
    const char *path;        /* "-": stdin */
    bool json;
    const struct log *log;
};

/* Reads the trace and prints the verb's rows on stdout. */
int report_run(const struct report_conf *conf, struct err *e);

#endif
