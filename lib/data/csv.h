/* What the parts of the reader of CSV and TSV share: columns and who they are, cells and rows. */
#ifndef DATA_CSV_H
#define DATA_CSV_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "data/builder.h"
#include "data/dataset.h"
#include "data/encoding.h"
#include "data/fields.h"
#include "data/header.h"

/* What a column can be beside a feature, in csv.feature. */
enum { CSV_LEFT_OUT = -1, CSV_LABEL = -2, CSV_WEIGHT = -3, CSV_NAMELESS = -4 };

struct csv {
    const char *format;    /* "csv" or "tsv" */
    const struct input *in;
    const json_t *like;    /* meta of a table that a model learned from, or NULL */
    struct fields record;  /* the one in hand */
    struct builder *builder;
    struct encoding *encoding;
    struct header header;
    bool named;         /* the file has names of columns */
    bool optional;      /* the label: no option names it, and nobody asks for it */
    bool decimal_comma;
    bool automatic;     /* a column that begins with text is one of categories */
    const char *suffix; /* left off the labels; NULL: nothing */
    long *feature;      /* (header.n) which feature a column is, or one of the above; NULL: not known yet */
    size_t features;
    size_t label;       /* column, from 0; SIZE_MAX: there is none */
    size_t weight;      /* the same */
    char none[2];       /* the label where nobody asks for it and there is none: "0" */
    struct source label_source; /* --labels */
    struct fields labels;       /* of that; its source is NULL where there is none */
    size_t rows;                /* records read */
    bool plain;                 /* rows may be numbers and nothing else: csv_put_plain */
    struct remark empty;        /* records of nothing but separators */
};

/* csv_columns.c: with the first row of data in hand, who the columns are; tells the builder and the encoding.
 * -1: e with the place. */
int csv_columns(struct csv *f, struct err *e);
json_t *csv_columns_meta(const struct csv *f); /* format, header, label_column, weight_column, columns, dropped */

/* A cell and what it proved to be. */
struct cell {
    char *text;
    size_t n;
    float v; /* a number; NaN: it is missing */
    bool category;
};

/* csv_cells.c: the record in hand becomes a row, unless the rule for missing values leaves it out. -1: e without
 * the place. */
int csv_put_row(struct csv *f, struct err *e);
/* The same, when its features are in place and its label is known. */
int csv_end_row(struct csv *f, struct cell *label, struct err *e);

/* csv_plain.c: whether rows can be taken by csv_put_plain: all columns are numbers, and nothing is to be done to them. */
bool csv_is_plain(const struct csv *f);
/* The line in hand becomes a row if its cells are numbers as they stand, with a label. 1: it did; 0: it is not as simple
 * as that, and as if it had not been asked; -1: e without the place. */
int csv_put_plain(struct csv *f, struct err *e);

#endif
