/* Measures of what a model is worth, beside loss and error: the table of --scores. */
#ifndef RUN_MEASURE_H
#define RUN_MEASURE_H

#include <stddef.h>

#include "base/err.h"
#include "base/plug.h"
#include "base/set.h"
#include "run/evaluate/outcome.h"

extern const struct table measure_table; /* accuracy auc f1 log-loss mae r2 */

enum { MEASURES_MAX = 16 };

/* Those that were asked for, in order. */
struct measures {
    const struct plug *v[MEASURES_MAX];
    size_t n;
};

/* Texts of names with commas between them. ERR_USAGE: an unknown name lists the known ones. */
int measures_parse(struct measures *m, const struct text_list *texts, struct err *e);

/* *value of a row of the table; NAN where it is undefined. loss: the mean loss of the rows. -1: ERR_SYSTEM. */
int measure_value(const struct plug *measure, const struct outcome *o, double loss, double *value,
                  struct err *e);

#endif
