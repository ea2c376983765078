/* A worker's way into a run, and back in: dialling with growing pauses, HELLO, WELCOME. */
#ifndef RUN_JOIN_H
#define RUN_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "net/channel.h"
#include "run/hello.h"

/* Zeroed but for the first six before use. */
struct join {
    const char *connect; /* ADDRESS or @FILE, read again at each attempt */
    double timeout;      /* seconds of trying */
    const struct secrets *secrets;
    struct guard *guard; /* of the secrets, or NULL: there are none */
    const struct log *log;
    int64_t rank;        /* asked for, or RANK_ANY; the one given from then on */
    struct address address;
    struct channel channel;
    bool entered; /* was welcomed once */
    double silence; /* seconds that the server may be silent, as it said then */
    bool own;     /* what ended it is not the server's doing */
    bool refused; /* the server sent an ERROR: it knows, and trying again is of no use, */
    bool moved;   /* unless the file has another address by now */
    double end;   /* clock when trying ends; 0: trying has not begun */
    double pause; /* before the next attempt */
};

/* Connects, or tries until `timeout` seconds after the first attempt since the last welcome. *e may
 * hold what ended the last attempt. -1: ERR_PEER when time is over, or the
 * two sides do not trust each other; ERR_USAGE and ERR_DATA at once. */
int join_dial(struct join *j, struct err *e);

/* Says hello (what is in h but the rank), waits for the welcome. 1: w is set and j->rank. 0: the
 * run is over already. -1: e. */
int join_enter(struct join *j, struct hello *h, struct welcome *w, struct err *e);

/* An ERROR frame came: its text and status into e; always -1. */
int join_error(struct join *j, const struct frame *f, struct err *e);

/* After a failure: looks whether the server had said why (e becomes that), else tells it of e. */
void join_explain(struct join *j, struct err *e);

/* Whether the connection, now closed, was lost in a way that another attempt may mend. */
bool join_lost(const struct join *j);

#endif
