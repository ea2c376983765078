/* The labels of rows while they are read: texts become classes at the end. */
#ifndef DATA_LABELS_H
#define DATA_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/classes.h"
#include "base/err.h"
#include "data/texts.h"

/* What is known of a spelling. */
struct spelling {
    const char *text; /* one of the texts */
    double value;     /* when it is a number */
    char *where;
    uint64_t order;
};

/* A number for each spelling, in order of appearance. Zeroed before use. */
struct labels {
    struct texts texts;
    struct spelling *v; /* (texts.n) */
    size_t cap;
    bool words;   /* some spelling is no number */
    bool targets; /* too many numbers for classes: row[] holds values from now on */
};

/* Where a label stands, for the one message or class that needs it: "file:12" or "file: row 12". */
struct place {
    const char *file;
    const char *unit; /* ":" or ": row " */
    size_t number;
};

/* Puts the label `text` of row `order` at row[order]; row[0 .. order) was filled this way too.
 * -1: ERR_DATA that says what is wrong with the text, without the place. */
int labels_put(struct labels *l, const char *text, size_t n, struct place at, double *row,
               uint64_t order, struct err *e);

/* Turns row[0 .. n) into what struct dataset promises, and fills classes (zeroed before). */
int labels_finish(struct labels *l, double *row, size_t n, struct classes *c, struct err *e);

void labels_free(struct labels *l);

#endif
