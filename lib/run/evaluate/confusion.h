/* Which classes a model takes for which: a row for each class of the data. */
#ifndef RUN_CONFUSION_H
#define RUN_CONFUSION_H

#include <stdbool.h>

#include "base/err.h"
#include "learn/model.h"
#include "run/evaluate/outcome.h"

/* Prints for each class of the model: label, rows, predicted, correct, precision, recall, f1, and how many of its
 * rows were predicted as each class (`as=NAME`); then a row for the labels that the model never saw, if there are
 * such. Rows count as their weights say. ERR_USAGE: a model of targets. */
int confusion(const struct model *m, const struct outcome *o, bool json, struct err *e);

#endif
