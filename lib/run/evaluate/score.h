/* What a model makes of the rows of a data set. */
#ifndef RUN_SCORE_H
#define RUN_SCORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "data/dataset.h"
#include "learn/gradient.h"
#include "learn/model.h"
#include "run/evaluate/outcome.h"

/* Told of a block of rows, those from row `first` of the data on: s (n, C) are their scores. */
typedef void score_sink(void *self, const struct gradient *g, const struct rows *block, size_t first,
                        const float *s);

/* Shows all rows to `sink`, in the order of the data. The data are no wider than the model. */
int score_rows(const struct model *m, const struct dataset *d, score_sink *sink, void *self,
               struct err *e);

/* Means of rows that count as their weights say. */
struct score {
    double loss;  /* mean data loss over the rows whose label is known; NAN: there is none */
    double error; /* misclassified fraction of all rows; mean (s - y)^2 for targets */
    bool known;   /* there is a row in loss */
};

/* y (rows): class index or target; NAN: a label that the model never saw, which is wrong. o: opened, to be filled; or
 * NULL. */
int score_model(struct score *s, const struct model *m, const struct dataset *d, const double *y,
                struct outcome *o, struct err *e);

#endif
