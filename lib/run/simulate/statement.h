/* What a run in virtual time cost, pool by pool: hours, money, joules. */
#ifndef RUN_STATEMENT_H
#define RUN_STATEMENT_H

#include "base/err.h"
#include "base/log.h"
#include "base/trace.h"
#include "run/pools.h"
#include "run/price.h"

/* Zeroed before use; without pools it says nothing. */
struct statement {
    struct pools pools;
    struct prices prices;
    double *busy; /* (P) seconds at work, exchanges among them */
};

int statement_pools(struct statement *s, const struct text_list *texts, struct err *e);

/* From here on it sees the events of the trace. */
int statement_open(struct statement *s, struct trace_writer *t, struct err *e);
void statement_close(struct statement *s);

/* A row a pool and one of all, on stderr, unless quiet; the run took so many seconds. */
void statement_print(const struct statement *s, const struct log *log, double seconds);

#endif
