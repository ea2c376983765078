/* What a program answered: which question, and a gradient, checked before it is believed. */
#ifndef RUN_ANSWER_H
#define RUN_ANSWER_H

#include <stdint.h>

#include "base/err.h"
#include "base/record.h"
#include "learn/model.h"

/* The seq in its metadata into *seq; without one *seq stays. ERR_PEER. */
int answer_seq(const struct record *r, uint64_t *seq, struct err *e);

/* A gradient: its tensors, which are those of the layout in any order, into g; rows, of which there were `most`;
 * and their mean loss. Numbers may be infinite or none at all. ERR_PEER. */
int answer_take(const struct record *r, const struct layout *l, uint64_t most, float *g, uint64_t *rows, double *loss,
                struct err *e);

#endif
