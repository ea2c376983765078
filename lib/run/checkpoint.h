/* A checkpoint as a record: a snapshot, with all else that a run needs to go on (dsgd-files(5)). */
#ifndef RUN_CHECKPOINT_H
#define RUN_CHECKPOINT_H

#include <jansson.h>

#include "base/err.h"
#include "base/record.h"
#include "base/trace.h"
#include "run/aggregate_state.h"
#include "run/shape.h"
#include "run/train.h"

/* What is written beside the aggregate's state. */
struct checkpoint_note {
    const struct train_conf *conf;
    const struct shape *shape;
    const json_t *run;        /* as line 1 of a trace, with the shards that workers have now */
    struct trace_place trace; /* how far it is; 0 bytes: there is none */
    uint64_t workers;         /* P */
};

/* The record of the state of a at its last update, *bytes of it, into the room that is asked for. Its first tensor, a
 * number at `at`, is still to become the CRC-32 of all that follows. -1: ERR_SYSTEM, or what room said. */
typedef void *checkpoint_room(void *self, size_t bytes, struct err *e);
int checkpoint_put(const struct checkpoint_note *n, const struct aggregate *a, checkpoint_room *room,
                   void *self, size_t *bytes, size_t *at, struct err *e);

/* One that was read. Zeroed before use; checkpoint_free at the end. */
struct checkpoint {
    struct record record;
    struct model model;
    json_t *run; /* as it was written */
    uint64_t workers;
    struct trace_place trace;
    struct aggregate_state state; /* views of the record and the model; memory: checkpoint_memory's */
    struct policy_mark policy;    /* the same */
};
/* 1: it was read; 0: there is no such file; -1: ERR_DATA, ERR_SYSTEM, which name it. */
int checkpoint_read(struct checkpoint *c, const char *path, struct err *e);
/* Finds what the optimizer of a, which is to be put into that state, remembers. ERR_DATA: it is missing. */
int checkpoint_memory(struct checkpoint *c, const struct aggregate *a, struct err *e);
void checkpoint_free(struct checkpoint *c);

#endif
