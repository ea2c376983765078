/* Rows that are an array; their labels: an array in a file of its own, or a column of the same one; their weights. */
#ifndef DATA_LABELLED_H
#define DATA_LABELLED_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/array.h"
#include "data/builder.h"
#include "data/dataset.h"

/* Zeroed before use; labelled_free at the end. */
struct labelled {
    struct array x, y; /* y: when not opened, the labels are a column of x */
    struct array weights; /* when not opened, there are none */
    uint64_t label;    /* that column, from 1; 0: there is none, and nobody asks for labels */
    struct builder *builder;
    size_t first;     /* rows that the builder had before, less those left out since */
    bool missing;     /* some number of the row in hand is */
    uint64_t at_once; /* rows read at a time */
};

/* With x opened: finds the labels as the options say, unless y is opened too, and tells the builder what comes.
 * ERR_USAGE: the options name none. ERR_DATA. */
int labelled_begin(struct labelled *l, struct builder *b, const struct input *in, struct err *e);
/* The row in hand, in which a value is missing, is left out; the next ones still count it. */
int labelled_leave_out(struct labelled *l, struct err *e);
void labelled_free(struct labelled *l);

/* The parts of this, for rows that are put into the builder by others; of x only name, kind, n_dims, rows and width
 * count then. */
int labelled_find(struct labelled *l, struct builder *b, const struct input *in, struct err *e);
int labelled_put(struct labelled *l, uint64_t i, struct err *e); /* label and weight of row b->n, before it is ended */
int labelled_check(const struct labelled *l, struct err *e);     /* that there are as many of all */

/* The functions of a row of the table of formats, whose reader is a struct labelled. */
void *labelled_open(struct source *s, struct builder *b, const struct input *in, struct err *e);
int labelled_next(void *self, struct err *e);
json_t *labelled_meta(const void *self); /* format, label_column, shape of images */
void labelled_close(void *self);

#endif
