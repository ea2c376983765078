/* The figures of the run as a page of text, in the format of Prometheus or that of OpenMetrics. */
#ifndef RUN_FIGURES_H
#define RUN_FIGURES_H

#include <event2/buffer.h>

#include "run/server/state.h"

enum { STALENESS_BUCKETS = 12 /* 0, 1, 2, 4 .. 1024, and the rest */ };

/* What only a history can tell. */
struct figures {
    uint64_t bucket[STALENESS_BUCKETS + 1]; /* gradients taken, by staleness; each alone */
    double staleness;                       /* their sum */
    double per_second;                      /* updates, lately */
};

void figures_take(struct figures *f, uint64_t staleness);
/* -1: no memory. */
int figures_print(const struct figures *f, const struct server *s, bool openmetrics, struct evbuffer *to);

#endif
