/* The labels of data in the terms of a model: its class indices, or targets. */
#ifndef RUN_TRUTH_H
#define RUN_TRUTH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/log.h"
#include "data/dataset.h"
#include "learn/model.h"

/* Zeroed before use; truth_close at the end. */
struct truth {
    const struct dataset *data; /* must outlive it */
    size_t *label;              /* (rows): index among the data's classes; NULL: the data have none */
    bool *told;                 /* of each of the data's classes: named on stderr already */
    bool told_targets;
    double *y; /* (rows): for the model of the last truth_for; NAN: a label it never saw */
};

int truth_open(struct truth *t, const struct dataset *d, struct err *e);
void truth_close(struct truth *t);

/* Fills y for a model. Labels are matched by value, or by name where either side has names. A label
 * that the model never saw is named on stderr, once. ERR_DATA when targets are no numbers. */
int truth_for(struct truth *t, const struct model *m, const struct log *log, struct err *e);

#endif
