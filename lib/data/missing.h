/* Values that are missing: how they are known, and what becomes of them. */
#ifndef DATA_MISSING_H
#define DATA_MISSING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "data/dataset.h"

enum missing_rule {
    MISSING_ERROR, /* they are an error */
    MISSING_ZERO,  /* a number is 0, of categories there is none */
    MISSING_MEAN,  /* a number is the mean of the feature, a category the most frequent */
    MISSING_DROP,  /* their rows are left out */
};

/* Zeroed before use; missing_free at the end. */
struct missing {
    enum missing_rule rule;
    const char *marks; /* what else stands for a missing value, with commas between; NULL: nothing. Not owned */
    float *numbers;    /* those of the marks that are numbers */
    size_t n;
};

/* What the options say, else what a model learned from. */
int missing_open(struct missing *m, const struct input *in, struct err *e);
void missing_free(struct missing *m);

/* Whether a number stands for a missing value: NaN, and the marks of equal value. */
bool missing_number(const struct missing *m, float v);

/* Whether a text does: nothing, ?, NA, NaN in any case, and the marks. */
bool missing_text(const struct missing *m, const char *text, size_t n);

/* The name of a rule, as --missing has it. */
const char *missing_name(enum missing_rule rule);

/* Behind a message of a value that is missing: what would take it. */
#define MISSING_ADVICE " (--missing zero, mean or drop)"

#endif
