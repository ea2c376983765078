/* What a model made of every row of the data, kept for measures that need all rows at once. */
#ifndef RUN_OUTCOME_H
#define RUN_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/rows.h"
#include "data/dataset.h"
#include "learn/gradient.h"
#include "learn/model.h"

/* Zeroed before use; outcome_free at the end. */
struct outcome {
    size_t rows, classes; /* classes: of the model; 0: targets */
    size_t liked_n;       /* values a row in `liked` */
    const double *y;      /* (rows): class index or target; NAN: a label that the model never saw; not owned */
    double *predicted;    /* (rows): class index, or the value */
    float *weight;        /* (rows) */
    double *liked;        /* (rows, liked_n): chances of the classes; of a hinge the score of the second */
    bool chances;         /* liked are probabilities */
};

/* Room for the rows of d, and what is known before: y must outlive it. */
int outcome_open(struct outcome *o, const struct model *m, const struct dataset *d, const double *y,
                 struct err *e);

/* A block of rows from row `first` on, s (n, C) their scores. */
void outcome_put(struct outcome *o, const struct gradient *g, const struct rows *block, size_t first,
                 const float *s);

void outcome_free(struct outcome *o);

/* Weights of the rows of one class: of its label, predicted as it, and both. */
struct tally_class {
    double rows, predicted, correct;
};

/* Of each class (classes), into memory that the caller frees; NULL and e. */
struct tally_class *outcome_tally(const struct outcome *o, struct err *e);

/* Of one class; NAN where the denominator is 0: 2 TP / (2 TP + FP + FN). */
double tally_f1(const struct tally_class *t);

#endif
