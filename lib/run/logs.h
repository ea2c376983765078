/* Logs of clusters and profilers, as pieces of work: Slurm's sacct, the Standard Workload Format, trace events. */
#ifndef RUN_LOGS_H
#define RUN_LOGS_H

#include "data/source.h"
#include "run/import.h"
#include "run/spans.h"

/* Reads the rest of the source, which stands at its start. -1: ERR_DATA names file and line. */
typedef int log_reader(struct spans *s, struct source *source, const struct import_conf *c, const struct log *log,
                       struct err *e);

/* By the first bytes; NULL: it is a table with named columns. */
log_reader *log_known(const struct source *s);

log_reader sacct_read;  /* sacct -P: a row a job that was COMPLETED; its steps are left out */
log_reader swf_read;    /* 18 numbers a job; of those that were completed, or of which nothing is said */
log_reader events_read; /* JSON trace events of Chrome, Perfetto and PyTorch: at most LOG_EVENT bytes are held */

enum { LOG_EVENT = 1 << 20 /* bytes of one trace event */ };

#endif
