/* What theory wants to know of an objective: a row of constants, as dsgd-plan reads them. */
#ifndef RUN_CONSTANTS_H
#define RUN_CONSTANTS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/log.h"
#include "data/dataset.h"
#include "learn/model.h"

struct constants_conf {
    double l2; /* of the penalty; NAN: what the model was trained with, else 0 */
    bool json;
    const struct log *log;
};

/* Prints the row (THEORY 3; dsgd-eval(1) says what each column is and how it is found). y (rows): class index
 * or target of each row; ERR_DATA for a label that the model never saw, which has no gradient. ERR_NO when
 * the loss is not finite. */
int constants(const struct constants_conf *c, const struct model *m, const struct dataset *d, const double *y,
              struct err *e);

#endif
