/* One run of dsgd-shard, as its parts see it. */
#ifndef RUN_SPLIT_STATE_H
#define RUN_SPLIT_STATE_H

#include <stddef.h>

#include "data/dataset.h"
#include "data/scaling.h"
#include "data/stock.h"
#include "run/split/balance.h"
#include "run/split/order.h"
#include "run/split/split.h"

struct splitting {
    const struct split *s;
    char *const *paths; /* (n) the operands */
    size_t n;
    char *folder;       /* where the shards go; NULL: a stream */
    size_t memory;      /* bytes of rows that any one step of the work may keep in memory */
    struct stock data;
    struct dataset like; /* --like */
    size_t width;       /* features of rows once they are encoded */
    size_t features;    /* of the shards */
    struct builder chunk; /* rows in hand */
    struct order order;
    struct scaling scaling;
    struct balance balance;
    char *source;       /* names of the files, for the metadata */
    size_t single;      /* shards whose rows are all of one class */
    char *single_name;  /* the first of them */
};

/* Writes the rows in the order of their places: all files appear, or none. The stock is empty afterwards. */
int write_all(struct splitting *g, struct err *e);

#endif
