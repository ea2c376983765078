/* Rows under construction: what readers of formats append to, and what shards are gathered in. */
#ifndef DATA_BUILDER_H
#define DATA_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/rows.h"
#include "data/labels.h"

struct encoding;

/* Zeroed before use, then `limit` set where there is one; builder_free at the end. Readers write
 * the arrays themselves, after builder_room. */
struct builder {
    enum rows_kind kind;
    const char *format; /* of the first reader; NULL: none yet */
    float scale;        /* ROWS_BYTES */
    size_t n;           /* rows that are whole */
    size_t gone;        /* rows that were here before: builder_clear */
    size_t features;    /* sparse: largest index + 1 so far; dense: of every row */
    size_t limit;       /* sparse: indices from here on are left out; 0: none are */
    float *x;           /* (n, features) */
    uint8_t *bytes;     /* (n, features) */
    int64_t *indptr;    /* (n + 1) */
    int32_t *indices;   /* (entries) */
    float *values;      /* (entries) */
    double *labels;     /* (n); numbers of spellings until builder_finish */
    bool weighted;      /* rows have weights (builder_weigh) */
    float *weights;     /* (n), as given; NULL: none has */
    size_t entries;     /* sparse: of all rows, and of the row in hand */
    size_t x_cap, bytes_cap, indptr_cap, indices_cap, values_cap, labels_cap, weights_cap;
    bool sums; /* sparse: values of an index that is there twice are added */
    struct encoding *encoding; /* how readers take missing values and categories; not owned */
    struct labels spellings;
    bool queries;       /* a notice said that query numbers are left out */
    char *beyond;       /* the first place where something was left out, and what */
    size_t beyond_rows;
};

/* A reader says what it will append; later ones must say the same. features: of dense rows.
 * -1: ERR_DATA that names both formats or widths. */
int builder_begin(struct builder *b, const char *format, enum rows_kind kind, size_t features,
                  struct err *e);

/* Room for n more rows (dense: with their values) or, when sparse, one more row of n entries. */
int builder_room(struct builder *b, size_t n, struct err *e);

/* Room for n more rows with so many entries in all. */
int builder_room_rows(struct builder *b, size_t n, size_t entries, struct err *e);

/* From now on rows have weights, which readers write beside the labels; those that are there count for one. */
int builder_weigh(struct builder *b, struct err *e);

/* Ends the sparse row in hand, whose entries stand from indptr[n] on: sorts them, refuses one that
 * is there twice, and leaves out what lies beyond the limit. base: what the file's indices start
 * at. */
int builder_end_sparse(struct builder *b, unsigned base, struct place at, struct err *e);

/* Appends copies of rows of the same kind, with their labels as they are, and their weights. Dense rows become as wide
 * as the builder says. */
int builder_append(struct builder *b, const struct rows *from, struct err *e);

/* Bytes that the rows take. */
size_t builder_bytes(const struct builder *b);

/* The rows are kept elsewhere from now on: there are none left here. What was learned from them stays. */
void builder_clear(struct builder *b);

/* All rows that there ever were: what a reader counts by. */
size_t builder_count(const struct builder *b);

/* All rows as they are, until the next change. */
struct rows builder_rows(const struct builder *b);

/* Labels become what struct dataset promises; classes zeroed before. */
int builder_finish(struct builder *b, struct classes *c, struct err *e);

/* No rows, and none of their memory, but all that is known of them. */
void builder_release(struct builder *b);
void builder_free(struct builder *b);

#endif
