/* Where a simulated run's models go: snapshots to stdout, whose reader is waited for, and -o. */
#ifndef RUN_OUTLET_H
#define RUN_OUTLET_H

#include <stdint.h>

#include "base/err.h"
#include "base/out.h"
#include "run/aggregate.h"
#include "run/shape.h"
#include "run/train.h"

/* Zeroed before use; outlet_close at the end. */
struct outlet {
    const struct train_conf *conf;
    struct out file, stream;
    double next;   /* seconds */
    uint64_t last; /* update of the last snapshot, if there was one */
    bool wrote;
};

/* Before anything else is done: what cannot be written is said at once. */
int outlet_open(struct outlet *o, const struct train_conf *conf, struct err *e);
void outlet_close(struct outlet *o);

/* After an update, and once before the first. */
int outlet_updated(struct outlet *o, const struct shape *shape, const struct aggregate *a,
                   double now, struct err *e);
/* The end: the last snapshot and, if the run came to its end, the final model. */
int outlet_finish(struct outlet *o, const struct shape *shape, const struct aggregate *a,
                  double now, bool ended, struct err *e);

#endif
