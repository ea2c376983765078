/* The workers of a run in one process: their data, and their gradients when somebody asks for them. */
#ifndef RUN_CREW_H
#define RUN_CREW_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "data/dataset.h"
#include "run/aggregate.h"
#include "run/compute.h"
#include "run/shape.h"
#include "run/train.h"

/* A gradient that was given out. */
struct room {
    float *g;
    uint32_t *index;
    size_t g_cap, index_cap;
};

/* Zeroed before use; crew_close at the end. */
struct crew {
    const struct train_conf *conf;
    const struct log *log;
    struct dataset **set; /* (sets) */
    size_t sets, sets_cap;
    uint32_t *set_of; /* (workers): whose rows are which */
    uint64_t workers;
    struct shape shape;
    struct compute *compute;
    struct room *room; /* (rooms), the first `taken` in use */
    size_t rooms, rooms_cap, taken;
};

/* Reads all of them as the rows of one worker or more: one set. ERR_DATA, ERR_SYSTEM, ERR_USAGE. */
int crew_add(struct crew *c, char *const *paths, size_t n, const struct input *in, struct err *e);
/* Each of them as a set. */
int crew_read(struct crew *c, char *const *paths, size_t n, const struct input *in, struct err *e);
/* So many workers: the r-th has the r-th set, or all have the only one. */
int crew_place(struct crew *c, uint64_t workers, struct err *e);
/* All are placed; from here on gradients can be asked for. ERR_DATA: the data do not suit the model or each
 * other. */
int crew_start(struct crew *c, struct err *e);
void crew_close(struct crew *c);

uint64_t crew_rows(const struct crew *c, uint64_t worker);
/* "shard-1", "shard-1 and 2 more". Returns text. */
const char *crew_name(const struct crew *c, uint64_t worker, char *text, size_t room);
/* Line 1 of the trace: its shards, and what computes. -1: ERR_SYSTEM. */
int crew_describe(const struct crew *c, json_t *meta, struct err *e);

/* The gradient of minibatch g->seq of worker on the parameters w: rows, loss and g->g are filled in. It
 * stays until crew_settle. -1: ERR_SYSTEM. */
int crew_gradient(struct crew *c, uint64_t worker, const float *w, struct gradient_in *g,
                  struct err *e);
void crew_settle(struct crew *c); /* no gradient that was given out is needed any more */

/* From now on the minibatches are those of a run with that seed. */
void crew_reseed(struct crew *c, uint64_t seed);
/* The mean loss under w of all rows that workers have, or of `most` evenly chosen ones when there are more.
 * -1: ERR_SYSTEM. */
int crew_loss(struct crew *c, const float *w, uint64_t most, double *loss, struct err *e);

#endif
