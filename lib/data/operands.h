/* Operands read one after the other: what is in them goes to whoever takes it in. */
#ifndef DATA_OPERANDS_H
#define DATA_OPERANDS_H

#include <jansson.h>
#include <stddef.h>

#include "base/err.h"
#include "base/log.h"
#include "data/builder.h"
#include "data/dataset.h"
#include "data/shard.h"

/* Who takes in what is read. Each returns -1 and e when it cannot. */
struct intake {
    void *self;
    /* What the rows of a raw file are appended to, until the next call of any. NULL: e. */
    struct builder *(*builder)(void *self, const char *name, struct err *e);
    /* Some more rows may have been appended there; they may be cleared. */
    int (*more)(void *self, struct err *e);
    /* Takes over a shard that is sound. */
    int (*shard)(void *self, struct shard *s, const char *name, struct err *e);
    /* What is said of rows that were read: `more` may be NULL. */
    int (*meta)(void *self, const json_t *more, struct err *e);
    size_t (*rows)(const void *self); /* so far */
};

/* Reads the files, in order ("-" is stdin, NULL paths of n = 0 none). An operand without a row is ERR_DATA. */
int operands_read(const struct intake *to, char *const *paths, size_t n, const struct input *in,
                  const struct log *log, struct err *e);

/* Adds to *meta (NULL: new) what `more` says (NULL: nothing); ERR_DATA when they contradict each other. */
int operands_meta(json_t **meta, const json_t *more, struct err *e);

/* Name of the first operand, for messages: new, or NULL and e. */
char *operands_name(char *const *paths, size_t n, struct err *e);

#endif
