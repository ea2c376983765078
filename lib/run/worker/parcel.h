/* What a worker sends and takes as entries where that is less: gradients, and what changed of the parameters. */
#ifndef RUN_WORKER_PARCEL_H
#define RUN_WORKER_PARCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "net/channel.h"
#include "run/compute.h"

/* Zeroed before use; parcel_free at the end. */
struct parcel {
    bool holds;    /* parameters are here, */
    uint64_t held; /* of that version */
    unsigned char *bytes;
    size_t cap;
};
void parcel_free(struct parcel *p);

/* The gradient that is ready, with its frame's version and seq, and the times in work. sparse: the server takes
 * entries. */
int parcel_push(struct parcel *p, struct channel *c, const struct frame *f, struct work *work, struct compute *compute,
                bool sparse, struct err *e);

/* Brings the parameters in that a PARAMS tells of, as far as they are not here. -1: ERR_PEER, it tells of none. */
int parcel_take(struct parcel *p, struct channel *c, const struct frame *f, struct compute *compute, struct err *e);

#endif
