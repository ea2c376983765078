/* All rows of the operands, in their order, where they may be more than memory holds. */
#ifndef DATA_STOCK_H
#define DATA_STOCK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/classes.h"
#include "base/err.h"
#include "base/log.h"
#include "base/rows.h"
#include "data/builder.h"
#include "data/dataset.h"
#include "data/encoding.h"
#include "data/pile.h"

/* Rows that one label_key is for: those of raw files in a row, or of a shard. */
struct stock_part {
    char *file;             /* the first of them */
    size_t first, end;      /* rows */
    bool raw, weighted;     /* weighted: as people wrote them; they are brought to a mean of 1 */
    struct classes classes; /* of them alone */
    struct labels_key key;
};

/* Zeroed before use; stock_free at the end. */
struct stock {
    struct pile pile;
    struct temp temp;
    size_t rows, features; /* features: of the widest */
    uint64_t stored;       /* values */
    bool weighted;         /* some row has a weight */
    struct classes classes; /* of all rows; empty v with .targets when there are too many */
    json_t *meta;          /* what is said of the rows */
    char *name;            /* of the first file, for messages */
    struct encoding encoding; /* of the raw rows */
    bool as_read;          /* they are as they were read: the encoding is still to be found in them, and applied */
    /* while reading */
    struct builder incoming; /* of raw files */
    size_t limit;
    bool like; /* rows are read as those of a model */
    struct stock_part *parts;
    size_t n_parts, cap;
    double weights, weighed; /* sum over the raw rows, and their number */
    char *beyond;          /* the first place where something was left out, and what */
    size_t beyond_rows;
    size_t blocks;
    bool settled; /* a pile that is whole has its labels */
};

/* Reads all operands as dataset_read does, but keeps at most `memory` bytes of rows, some buffers more; what is beyond
 * goes to a temporary file in `folder` (base/temp.h). */
int stock_read(struct stock *s, char *const *paths, size_t n, const struct input *in, size_t limit, size_t memory,
               const char *folder, const struct log *log, struct err *e);

/* Block i of s->blocks: its rows, with labels as in struct dataset, until the next call; *first is the number of the
 * first of them. Rows that are narrower than s->features lack zeros. */
int stock_block(struct stock *s, size_t i, struct rows *r, uint64_t *first, struct err *e);

/* Which of the classes a label is. */
static inline size_t stock_class(const struct stock *s, double label)
{
    return s->classes.named ? (size_t)label : (size_t)classes_find_value(&s->classes, label);
}

void stock_free(struct stock *s);

#endif
