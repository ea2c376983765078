/* Gradients by a program of the user's: it reads records of parameters and writes records of gradients
 * (dsgd-protocol(7)). Cancelled, restarted when it dies, timed; nothing here blocks, whoever drives it waits. */
#ifndef RUN_EXTERNAL_H
#define RUN_EXTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "base/set.h"
#include "learn/model.h"
#include "net/channel.h"
#include "run/exchange.h"

/* How a program learns that its minibatch is void. */
enum { CANCEL_WAIT = 0, CANCEL_RECORD = -1 /* else the number of a signal */ };
setter set_cancel; /* int: "wait", "record", or the name of a signal */

struct external_conf {
    const char *command; /* NULL: there is none */
    uint64_t rows;       /* of data of its own; 0: it gets its rows from us */
    double timeout;      /* seconds for an answer */
    uint64_t restarts;   /* in a row, without an answer between */
    int cancel;
};

struct external;
/* Starts the program, with DSGD_RANK in its environment when rank is not negative. NULL and ERR_SYSTEM. */
struct external *external_open(const struct external_conf *conf, int64_t rank, const struct log *log, struct err *e);
/* Ends it, by force when it does not end with its input. */
void external_close(struct external *x);

/* From now on its answers are gradients of this layout, which must outlive it, and its words those of `rank`. */
void external_join(struct external *x, const struct layout *l, uint64_t rank);

/* One minibatch for it. What it had before is void. */
struct question {
    uint64_t seq, rows;
    struct outgoing record; /* taken */
};
void external_ask(struct external *x, const struct question *q);

/* Moves what can be moved. 1: the answer to the newest question is in: its mean gradient in g, its rows and
 * their mean loss. 0: not yet. -1: ERR_PEER, the program died too often, took too long, or answered wrongly;
 * ERR_SYSTEM. */
int external_serve(struct external *x, float *g, uint64_t *rows, double *loss, struct err *e);

enum { EXTERNAL_WATCHED = 3 };
/* What to wait for until it is to be served again: descriptors, returns how many; or that clock. */
size_t external_watch(const struct external *x, struct watched w[static EXTERNAL_WATCHED]);
double external_until(const struct external *x);

#endif
