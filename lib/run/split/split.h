/* The engine of dsgd-shard: a data set becomes shards. */
#ifndef RUN_SPLIT_H
#define RUN_SPLIT_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/log.h"
#include "base/plug.h"
#include "data/dataset.h"

extern const struct table split_table; /* shuffle sequential label dirichlet: which row goes where */

struct split {
    struct input input;
    uint64_t shards;     /* -n */
    const char *pattern; /* -o: "shard-%d", "-" */
    struct spec how;     /* --split */
    uint64_t seed;
    uint64_t features;   /* --features; 0: as wide as the data are */
    struct spec scale;   /* --scale; no plug: as the data are stored */
    bool balance;        /* --balance: every class counts for as much as another in the shards, by its rows' weights */
    const char *like;    /* --like SHARD, or NULL: read, scaled and as wide as its rows are, with its classes */
    double hold_out;     /* --hold-out: this part of the rows goes to the file; 0: none */
    const char *hold_out_file;
    uint64_t memory;     /* --memory: bytes that rows may take */
    const struct log *log;
};

/* Reads the operands (none: stdin) and writes the shards; all of them appear, or none. */
int split_run(const struct split *s, char *const *paths, size_t n, struct err *e);

#endif
