/* Frames that a socket did not take yet, in order; parameters among them can be replaced. */
#ifndef NET_QUEUE_H
#define NET_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/err.h"
#include "net/frame.h"
#include "net/stock.h"

/* Zeroed before use. */
struct queue {
    struct piece *first;
    size_t bytes; /* in all */
};

/* A frame that has to wait: its header and a payload of n bytes, of which `sent` bytes have gone out. */
struct waiting {
    unsigned char header[FRAME_HEADER];
    const void *payload;
    size_t n, sent;
    struct stock *stock; /* parameters, which can be replaced: copied there, or alone where it is NULL */
    uint64_t version;    /* of those */
    bool params;
};

/* Copies what is left of it. -1: no memory, and nothing is queued. */
int queue_add(struct queue *q, const struct waiting *f, struct err *e);

/* Points at most `room` of v, 2 or more, at what is to be sent next; returns how many. */
size_t queue_gather(const struct queue *q, struct iovec *v, size_t room);

/* The first n bytes have been sent. */
void queue_sent(struct queue *q, size_t n);

/* Takes out parameters of which no byte has been sent. 1: there were some. */
int queue_drop_unsent(struct queue *q);
/* Whether there are such. */
bool queue_unsent(const struct queue *q);

void queue_free(struct queue *q);

#endif
