/* The set of labels of a data set: spelled as first seen, with the place where that was. */
#ifndef BASE_CLASSES_H
#define BASE_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct label {
    char *name;     /* as the data wrote it first: "+1", "spam" */
    double value;   /* when all labels are numbers */
    char *where;    /* "three.svm:3" */
    uint64_t order; /* ordinal of the row where it was first seen */
};

/* Kept in order: by value when all are numbers, else by the bytes of the names. Zeroed before use. */
struct classes {
    struct label *v;
    size_t n, cap;
    bool named;   /* some label is no number: all are names */
    bool targets; /* more than CLASSES_MAX distinct numbers: regression targets, v is empty */
};
enum { CLASSES_MAX = 65536 };

/* Index of a label among the classes, or -1. */
long classes_find_value(const struct classes *c, double value);
long classes_find_name(const struct classes *c, const char *name);

/* (own->n) the index in c of each name of own, all of which c has: the caller's to free. */
double *classes_places(const struct classes *c, const struct classes *own, struct err *e);

/* Adds what `from` has and `into` lacks; of a label in both, the spelling and place that were seen
 * earlier stay, so that the order of merging does not matter. Mixing names and numbers is ERR_DATA. */
int classes_merge(struct classes *into, const struct classes *from, struct err *e);

/* Adds one label at its place; a known one (same value, or same name when named) is left alone.
 * Numbers may become names (classes_name) but not in the middle of this call. */
int classes_add(struct classes *c, const char *name, double value, const char *where, uint64_t order,
                struct err *e);

/* From now on all labels are names; sorts again by bytes. */
void classes_name(struct classes *c);

/* JSON array of [name, value, where, order] (value null when named), or the text "targets" for
 * targets; and back. Compact. */
char *classes_text(const struct classes *c, struct err *e); /* free() it */
int classes_parse(struct classes *c, const char *text, struct err *e);

/* The label that was seen third, fourth ... first: the n-th in order of appearance; n < c->n. */
const struct label *classes_nth_seen(const struct classes *c, size_t n);

void classes_free(struct classes *c);

#endif
