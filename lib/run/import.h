/* Other people's logs, as traces: text with named columns, what Slurm's sacct prints, the Standard Workload
 * Format, trace events in JSON. */
#ifndef RUN_IMPORT_H
#define RUN_IMPORT_H

#include "base/err.h"
#include "base/log.h"

/* Names of columns. NULL: the word itself ("worker", ...) where there is such a column. */
struct import_conf {
    const char *worker, *duration, *start, *end, *step;
    const char *event; /* name of trace events, maybe with a '*' behind; NULL: those of PyTorch's steps */
    const char *unit; /* of bare numbers: "s", "ms", ... */
};

/* Option rows for these, for a conf with a struct import_conf at `member`. */
#define IMPORT_OPTS(conf, member)                                                                   \
    { "worker", 0, "NAME", NULL, "column of the worker (worker), or what else names one", set_text,                        \
      offsetof(struct conf, member.worker), NULL },                                                \
    { "duration", 0, "NAME", NULL, "column of the duration (duration)", set_text,                  \
      offsetof(struct conf, member.duration), NULL },                                              \
    { "start", 0, "NAME", NULL, "column of the time at which it starts (start)", set_text,         \
      offsetof(struct conf, member.start), NULL },                                                 \
    { "end", 0, "NAME", NULL, "column of the time at which it ends (end)", set_text,               \
      offsetof(struct conf, member.end), NULL },                                                   \
    { "step", 0, "NAME", NULL, "column that orders the rows of a worker when no time does (step)", \
      set_text, offsetof(struct conf, member.step), NULL },                                        \
    { "event", 0, "NAME[*]", NULL, "trace events that are a minibatch (ProfilerStep#*)", set_text,  \
      offsetof(struct conf, member.event), NULL },                                                 \
    { "unit", 0, "UNIT", "s", "unit of numbers without one: s, ms, us, ns, m, h", set_text,        \
      offsetof(struct conf, member.unit), NULL }

/* Reads path ("-": stdin; compressed or not) and writes the trace on stdout, but nothing when a row is
 * wrong. Each row is a minibatch that was completed; workers are numbered in order of their names,
 * which the join events note. -1: ERR_USAGE, ERR_DATA with the line, ERR_SYSTEM. */
int import_run(const struct import_conf *conf, const char *path, const struct log *log, struct err *e);

#endif
