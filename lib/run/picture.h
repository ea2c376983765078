/* The model of a run as it is now, as a record: what snapshots and the final model are. */
#ifndef RUN_PICTURE_H
#define RUN_PICTURE_H

#include <stddef.h>

#include "base/err.h"
#include "run/aggregate.h"
#include "run/shape.h"
#include "run/train.h"

/* Its bytes, *n of them, to be free()d; NULL and e. now: seconds from the start. */
unsigned char *picture(const struct train_conf *conf, const struct shape *shape,
                       const struct aggregate *a, double now, size_t *n, struct err *e);

/* Its metadata alone: a new reference; NULL and e. */
json_t *picture_meta(const struct train_conf *conf, const struct shape *shape,
                     const struct aggregate *a, double now, struct err *e);

#endif
