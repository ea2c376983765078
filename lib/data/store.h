/* What a data set points into: its parts, each a shard or the rows of raw files. */
#ifndef DATA_STORE_H
#define DATA_STORE_H

#include <stddef.h>

#include "base/err.h"
#include "base/log.h"
#include "data/builder.h"
#include "data/dataset.h"
#include "data/encoding.h"
#include "data/shard.h"

struct part {
    char *file;            /* the first it was read from */
    struct shard shard;    /* record.meta is NULL: this part is raw */
    struct builder built;  /* raw rows; or a shard's that had to be narrowed */
    struct classes classes; /* of raw rows */
};

struct store {
    struct part *v;
    size_t n, cap;
    struct encoding encoding; /* of the raw rows */
};

/* A new last part, or NULL. */
struct part *store_add(struct store *s, const char *file, struct err *e);
void store_free(struct store *s);

/* Makes one data set of the parts in d->store; raw ones are encoded and scaled and have the classes as `in` says. */
int store_join(struct dataset *d, const struct input *in, size_t limit, const struct log *log, struct err *e);

#endif
