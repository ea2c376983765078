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
    uint64_t gone;  /* rows before those of row[]: labels_gone */
    uint64_t coded; /* targets: of the rows before this one there are numbers of spellings still, */
    double *value;  /* (n_value) which had these values */
    size_t n_value;
};

/* What labels are, once all were seen: of the rows before `coded` the number of the spelling becomes becomes[number],
 * of the others it is there already. Zeroed before use. */
struct labels_key {
    double *becomes; /* (n) */
    size_t n;
    uint64_t coded;
};

/* Where a label stands, for the one message or class that needs it: "file:12" or "file: row 12". */
struct place {
    const char *file;
    const char *unit; /* ":" or ": row " */
    size_t number;
};

/* What a message says of a whole number that would become another. */
#define LABELS_ROUNDED ": a whole number beyond 2^53 that a double does not hold: number the labels anew"

/* Puts the label `text` at row[i]; row[0 .. i) was filled this way too.
 * -1: ERR_DATA that says what is wrong with the text, without the place. */
int labels_put(struct labels *l, const char *text, size_t n, struct place at, double *row,
               uint64_t i, struct err *e);

/* The rows up to row[n) are kept elsewhere from now on; the next is row[0]. */
void labels_gone(struct labels *l, size_t n);

/* The classes of all labels (zeroed before), and what becomes of those that are kept elsewhere. */
int labels_close(struct labels *l, struct classes *c, struct labels_key *key, struct err *e);

/* The labels row[0 .. n) of the rows from `first` on become what struct dataset promises. */
void labels_turn(const struct labels_key *key, double *row, uint64_t first, size_t n);
void labels_key_free(struct labels_key *key);

/* Both at once, of rows none of which is gone. */
int labels_finish(struct labels *l, double *row, size_t n, struct classes *c, struct err *e);

void labels_free(struct labels *l);

#endif
