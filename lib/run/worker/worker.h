/* A worker: takes parameters and a minibatch number, computes, waits out the delay, pushes. */
#ifndef RUN_WORKER_H
#define RUN_WORKER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "base/plug.h"
#include "data/dataset.h"
#include "net/guard.h"
#include "run/external.h"

struct worker_conf {
    const char *connect;    /* ADDRESS or @FILE; stdio when it is NULL */
    double connect_timeout; /* seconds of trying to connect, at the start and after a loss */
    struct secrets secrets; /* for tls: addresses */
    struct spec delay;      /* on top of the computation; no plug: none */
    int64_t rank;           /* or RANK_ANY */
    const char *run;        /* name of the run, or NULL */
    struct external_conf external;
    struct input input;
    struct log log;
};

/* Reads the data (paths, none only when an external program has rows of its own, as dataset_read; "-": shard number `rank` of a stream on stdin), and works
 * until the server says that the run is over. Ignores SIGPIPE from then on. -1 and e: ERR_DATA,
 * ERR_SYSTEM; ERR_PEER when the server was lost, was silent, or nobody listened within
 * connect_timeout; what an ERROR of the server says, with the status it gives. */
int worker_run(const struct worker_conf *given, char *const *paths, size_t n, struct err *e);

#endif
