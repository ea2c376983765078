/* What is behind gradient.h: how scores come from parameters and how derivatives go back (an engine), and
 * what the scores of one row mean (a row of the table of gradients). */
#ifndef LEARN_ENGINE_H
#define LEARN_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/rows.h"
#include "learn/model.h"

struct engine_ops {
    /* outputs: C. Room for blocks of up to *chunk rows (gradient_chunk), which it sets. NULL and e. */
    void *(*open)(const void *conf, const struct dims *d, size_t outputs, size_t *chunk,
                  struct err *e);
    void (*close)(void *self);
    /* s (n, C) of a block. */
    void (*scores)(void *self, const float *w, const struct rows *block, float *s);
    /* sum += the gradient that belongs to ds (n, C), the derivatives of the losses by the scores of the
     * block that `scores` saw last. */
    void (*add)(void *self, const float *w, const float *ds, const struct rows *block, float *sum);
    /* What the squared derivatives of row r by its scores have to be multiplied with for the squared norm
     * of its gradient. NULL: the scores are not linear in w. */
    double (*square)(const void *self, const struct rows *block, size_t r);
};
extern const struct engine_ops engine_linear, engine_mlp, engine_cnn;

struct gradient_ops {
    const char *name; /* of the model */
    const struct engine_ops *engine; /* NULL: nothing here computes with it; no more is there */
    /* The loss of scores s (C) against y, class index or target; ds (C) gets its derivatives. A score
     * that is no number must give a loss that is none. */
    double (*point)(const float *s, size_t outputs, double y, float *ds);
    double (*predict)(const float *s, size_t outputs); /* class index, or the value */
    /* Along a change t (C) of the scores: t becomes the change of their derivatives, the loss's second
     * derivatives at s times t. NULL: the loss has kinks, or the scores are not linear in w. */
    void (*bend)(const float *s, size_t outputs, float *t);
    /* The chance of each class, p (classes; add up to 1). NULL: scores tell none. */
    void (*chances)(const float *s, size_t outputs, double *p);
    bool idle; /* no engine, and nothing to be computed either: losses and gradients are 0 */
};

#endif
