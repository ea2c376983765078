/* The sum of the gradients of sparse rows, in which only what the rows touch is looked at. */
#ifndef RUN_LISTED_H
#define RUN_LISTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/entries.h"
#include "base/err.h"
#include "base/marks.h"
#include "base/rows.h"

/* Zeroed before use. */
struct listed {
    size_t outputs, features, biases; /* the parameters: weight (outputs, features), then biases */
    float *sum;                       /* all of them; 0 but where rows have been */
    struct marks marks;               /* features met */
    bool begun;                       /* rows were met since the last mean, */
    size_t met;                       /* and so many entries */
    uint32_t *feature;                /* (met, at most features) */
    uint32_t *index;
    float *value;
    size_t feature_cap, index_cap, value_cap;
};

/* -1: ERR_SYSTEM; listed_close is due all the same. */
int listed_open(struct listed *l, size_t outputs, size_t features, size_t biases, struct err *e);
void listed_close(struct listed *l);

/* Rows whose gradients go to l->sum. */
int listed_meet(struct listed *l, const struct rows *r, struct err *e);

/* The mean over so many rows, good until the next one; the sum is 0 again. */
int listed_mean(struct listed *l, size_t rows, struct entries *mean, struct err *e);

/* What was begun is forgotten. */
int listed_forget(struct listed *l, struct err *e);

#endif
