/* What computes with a model: scores, losses and gradients. Links a CBLAS; worker, eval and sim only. */
#ifndef LEARN_GRADIENT_H
#define LEARN_GRADIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/rows.h"
#include "learn/model.h"

/* A model ready to compute, with its scratch for blocks of up to `chunk` rows. */
struct gradient;

/* ERR_USAGE: it is a model with which nothing here can compute. */
int gradient_known(const struct spec *model, struct err *e);

/* Whether nothing is to be computed with it: every loss and gradient is 0. Such a model is not known. */
bool gradient_idle(const struct spec *model);

/* Opens the row of gradient_rows with the model's name. NULL and e. Frees with gradient_close. */
struct gradient *gradient_open(const struct spec *model, const struct dims *d, struct err *e);
void gradient_close(struct gradient *g);

/* Rows that make one chunk: between chunks a worker looks at its channel. Fixed by the dims alone, so
 * that the bits do not depend on anything else; about half a millisecond of work, at least 1. */
size_t gradient_chunk(const struct gradient *g);

/* Adds, for a block of n <= chunk rows, the sum over its rows of the loss to *loss and of the loss's
 * gradient to sum (layout->size floats). w: the parameters. labels: class index, or the target.
 * block->features may be less than d: the rest is zero. A block may be cut out of a larger one (the
 * indptr of sparse rows need not start at 0). The penalty is not here: the server adds it. */
void gradient_add(struct gradient *g, const float *w, const struct rows *block, float *sum, double *loss);

/* Scores of a block of n <= chunk rows: s = W x + b, (n, outputs). outputs: 1, or classes. */
size_t gradient_outputs(const struct gradient *g);
void gradient_scores(struct gradient *g, const float *w, const struct rows *block, float *scores);

/* What one row's scores mean: its loss against y (class index or target), and its prediction: class
 * index, or the value for TARGET_REAL. */
double gradient_loss(const struct gradient *g, const float *scores, double y);
double gradient_predict(const struct gradient *g, const float *scores);

/* Whether a model says how likely each class is; and the chances that one row's scores give to the classes,
 * p (classes), which add up to 1. */
bool gradient_has_chances(const struct spec *model);
void gradient_chances(const struct gradient *g, const float *scores, double *p);

/* Whether the loss has second derivatives everywhere: a hinge has none, nor a network. */
bool gradient_smooth(const struct gradient *g);
/* Whether it is convex: of all linear models, of no network. */
bool gradient_convex(const struct gradient *g);

/* How many weights each feature has, where of sparse rows only those of the features that are there, and the biases
 * behind all weights (C, d), have a gradient; 0: all parameters may have one. */
size_t gradient_of_features(const struct gradient *g);

/* Adds, for a block as gradient_add takes it, the sum over its rows of their losses' second derivatives
 * at w, times v (layout->size floats), to sum. Of a smooth loss only. */
void gradient_bend(struct gradient *g, const float *w, const float *v, const struct rows *block, float *sum);

/* The sum over the rows of a block of the squared norm of each one's gradient. room: layout->size floats
 * to work in. */
double gradient_squares(struct gradient *g, const float *w, const struct rows *block, float *room);

/* Name of our own code in use, for HELLO and the trace: another rounds in other ways. */
const char *gradient_kernel(void);

/* Name of the CBLAS in use, for HELLO and the trace; also keeps it on one thread. */
const char *gradient_blas(void);

#endif
