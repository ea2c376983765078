/* What happens to one gradient on its way into the sum (COMMANDS, Objective): --clip, then --correct,
 * then the weight of a staleness-aware step. */
#ifndef RUN_CORRECT_H
#define RUN_CORRECT_H

#include <stdbool.h>

#include "base/entries.h"
#include "base/err.h"
#include "learn/optimizer.h"

/* Rows of --correct. */
extern const struct table correct_table; /* dc:lambda=0.04 */

struct correct;
struct correct_conf {
    double clip;               /* largest norm of a gradient; 0: any */
    const struct spec *method; /* of correct_table; NULL or without a plug: none */
    const struct spec *step;
    uint64_t workers;
};

/* For gradients of n floats. NULL and e. */
struct correct *correct_open(const struct correct_conf *conf, size_t n, struct err *e);
void correct_close(struct correct *c);

/* Other weights from now on. read: what workers read is kept. ERR_USAGE when it is not, and would have to be. */
int correct_set_step(struct correct *c, const struct spec *step, bool read, struct err *e);

/* Whether it needs what the worker read. */
bool correct_needs_read(const struct correct *c);

/* The gradient as it goes into the sum: g itself when nothing is to be done, else memory of c's, good until
 * the next call. w: the parameters now, read: those it was computed on (NULL when not needed). */
struct entries correct_gradient(struct correct *c, struct entries g, const float *w, const float *read,
                                uint64_t staleness);

#endif
