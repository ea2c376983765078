/* What a model says about rows: a label a line, or the chances of the classes. */
#ifndef RUN_PREDICT_H
#define RUN_PREDICT_H

#include <stdbool.h>

#include "base/err.h"
#include "data/dataset.h"
#include "learn/model.h"

/* Prints, for every row in the order of the data, the class as the training data wrote it first, or
 * the number (%.9g) of a model of targets. As JSON Lines: {"label":...}. */
int predict(const struct model *m, const struct dataset *d, bool json, struct err *e);

/* Prints, for every row in the order of the data, the predicted label and the chance of each class (`p=NAME`).
 * ERR_USAGE: a model that knows no chances. */
int predict_chances(const struct model *m, const struct dataset *d, bool json, struct err *e);

#endif
