/* The proximal step of an l1 penalty: soft thresholding (Tibshirani, 1996; Parikh and Boyd, 2014, 6.5.2). */
#ifndef LEARN_SHRINK_H
#define LEARN_SHRINK_H

#include "learn/model.h"

/* Brings every weight nearer to 0 by `by`, those that are not farther away to 0 itself; biases stay. After a
 * step of size r on the rest of the objective, `by` is r times the penalty's factor. */
void shrink(const struct layout *l, float *w, double by);

#endif
