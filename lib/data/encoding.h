/* Rows as they were read made rows of numbers: missing values filled, categories spread to a feature each.
 * Found once on the rows that are trained on, kept beside them, done to whatever is read for the same model
 * later. Comes before scaling. */
#ifndef DATA_ENCODING_H
#define DATA_ENCODING_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "data/builder.h"
#include "data/dataset.h"
#include "data/missing.h"
#include "data/texts.h"

enum { CATEGORIES_MAX = 1024, /* of a column that becomes features */ HASH_BITS_MAX = 30 };

enum column_kind { COLUMN_UNKNOWN, COLUMN_NUMBER, COLUMN_CATEGORY };

/* A column of a table that is a feature, or several. */
struct column {
    char *name; /* of the header, or its number in the file; owned */
    enum column_kind kind;
    struct texts categories; /* their numbers stand in the rows as they were read; UNSEEN for others */
    uint32_t *place;         /* (categories.n) of each in the order of their bytes */
    size_t first;            /* of its features */
};
#define ENCODING_UNSEEN (-1.0f)

/* Something that was met and is told at the end: how often, and where first. */
struct remark {
    size_t n;
    char *first; /* owned */
};

/* Zeroed before use; encoding_free at the end. In rows as they were read a value that is missing is NaN. */
struct encoding {
    struct missing missing;
    struct column *v; /* (n); those of a table */
    size_t n;
    bool fixed;    /* the categories are those of a model */
    unsigned bits; /* of hashed features; 0: a feature for each category */
    bool known;    /* what a missing value becomes is known */
    double *fill;  /* (n_fill) what a missing value of a feature as it was read becomes; NULL: 0, or no category.
                      Below 0: no category */
    size_t n_fill;
    struct remark dropped, unlabelled, unseen;
    struct tally *tally; /* while means are found */
};

/* What the options say, else what a model learned from. ERR_USAGE, ERR_DATA. */
int encoding_open(struct encoding *c, const struct input *in, struct err *e);

/* The data are no table: what a model knows of columns does not count. ERR_DATA: there was a table before. */
int encoding_forget(struct encoding *c, struct err *e);
void encoding_free(struct encoding *c);

/* For the reader of a table. n columns are features; their names come next. ERR_DATA: those of a model are more
 * or fewer. */
int encoding_columns(struct encoding *c, size_t n, struct err *e);
int encoding_name(struct encoding *c, size_t j, const char *name, struct err *e);

/* The number of a category of column j, UNSEEN when it has none. ERR_DATA: too many, or no text, without the
 * place. */
int encoding_code(struct encoding *c, size_t j, const char *text, size_t n, struct place at, float *code,
                  struct err *e);

/* The feature of a column, or of a category of it, when they are hashed. */
int32_t encoding_hash(const struct encoding *c, size_t j, const char *text, size_t n);

/* Counts; notes the first place and what stood there ("" or ": something"). */
int remark(struct remark *r, struct place at, const char *what, struct err *e);

/* All rows are read: gives each category its place. */
int encoding_settle(struct encoding *c, struct err *e);

/* Whether something must be found in the rows, or done to them. */
bool encoding_changes(const struct encoding *c);

/* What is found in rows must be found in all of them. beside: there are shards too; found: nothing more will be.
 * ERR_USAGE, with the name. */
int encoding_check(const struct encoding *c, bool beside, bool found, const char *name, struct err *e);

/* How many features rows have that were read with `features`. */
size_t encoding_width(const struct encoding *c, size_t features);

/* The means, where they are wanted and not known: begin, all rows that are trained on, end. */
int encoding_begin(struct encoding *c, size_t features, struct err *e);
void encoding_meet(struct encoding *c, const struct rows *r, size_t i);
int encoding_end(struct encoding *c, const struct log *log, struct err *e);

/* All rows of b, which are as they were read. */
int encoding_apply(const struct encoding *c, struct builder *b, struct err *e);

/* Adds to what travels with the rows: categories, hash_bits, missing, na, and the names of the features as columns.
 * encoding_open reads them back. */
int encoding_describe(const struct encoding *c, json_t *meta, struct err *e);

/* Notices of rows left out and of categories without a feature. */
void encoding_tell(const struct encoding *c, const struct log *log);

#endif
