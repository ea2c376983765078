/* The gradient of one minibatch after the other, on the rows of one worker, in chunks: whoever
 * drives it may look at something else between two of them, and may leave a minibatch at any time. */
#ifndef RUN_COMPUTE_H
#define RUN_COMPUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/entries.h"
#include "base/err.h"
#include "data/dataset.h"
#include "learn/model.h"
#include "run/hello.h"

enum { COMPUTE_COPIES = 2 /* of the parameters: they and their gradient */ };

struct compute;

/* For what the server's welcome says: model, batch, seed, rank, features, classes. The data set
 * must outlive it; its labels become class indices of the run. ERR_PEER: data and welcome do not fit. */
struct compute *compute_open(const struct dataset *d, const struct welcome *w, struct err *e);
void compute_close(struct compute *c);

/* The same, but another computes the gradients: see compute_task. d without rows: the other has its own, so many. */
struct compute *compute_outside(const struct dataset *d, uint64_t rows, const struct welcome *w, struct err *e);

/* The same for many workers of one run, one at a time: none has rows yet. */
struct compute *compute_empty(const struct welcome *w, struct err *e);
/* Rows of one worker or more; the first that is added is number 0. run: the run's classes. */
int compute_add(struct compute *c, const struct dataset *d, const struct classes *run,
                struct err *e);
/* From now on it is the worker of this rank, with the rows of that number. -1: ERR_SYSTEM. */
int compute_as(struct compute *c, size_t source, uint64_t rank, struct err *e);
/* The parameters are read from w, the gradient goes to g (compute_size floats each). */
void compute_with(struct compute *c, const float *w, float *g);

size_t compute_size(const struct compute *c); /* floats of the parameters */
float *compute_w(struct compute *c);          /* the parameters, to be filled by the caller */

/* Starts minibatch seq; one that was not finished is forgotten. */
void compute_begin(struct compute *c, uint64_t seq);

/* One chunk of it. 1: there is more. 0: the gradient is ready. -1: ERR_SYSTEM. */
int compute_chunk(struct compute *c, struct err *e);

/* When ready: the mean over the minibatch's rows (compute_size floats, valid until compute_begin),
 * their number and their mean loss. */
const float *compute_gradient(const struct compute *c, uint64_t *rows, double *loss);

/* From now on only what the rows touch is looked at, where all rows are sparse and the model is linear. -1: ERR_SYSTEM. */
int compute_sparsely(struct compute *c, struct err *e);
/* Whether gradients of the worker at work are entries. */
bool compute_lists(const struct compute *c);
/* When ready: the same as compute_gradient, as it was computed; index NULL: it is as long as the parameters. */
struct entries compute_entries(const struct compute *c, uint64_t *rows, double *loss);
/* The same gradient, as long as the parameters whatever it is. */
const float *compute_spread(struct compute *c);

/* What another has to compute, once a minibatch is begun; views that are valid until the next one. */
struct task {
    size_t n;                 /* rows */
    const uint64_t *row;      /* (n): their numbers among the worker's rows, from 0 */
    const struct rows *block; /* they themselves, with labels: numbers, of words their classes; NULL: not here */
    const double *classes;    /* of all rows, by their numbers: class index in the run; NULL: labels are no classes */
    uint64_t features;        /* of the run, at least those of block */
    const float *w;           /* parameters */
};
int compute_task(struct compute *c, struct task *t, struct err *e); /* -1: ERR_SYSTEM */
const struct layout *compute_layout(const struct compute *c);
/* Where the other's gradient goes (compute_size floats); and that it is there, a mean over so many rows. */
float *compute_into(struct compute *c);
void compute_done(struct compute *c, uint64_t rows, double loss);

/* From now on minibatches are those of a run with that seed. */
void compute_reseed(struct compute *c, uint64_t seed);

/* Adds the losses under w of rows first, first + stride, ... of the worker at work to *sum, and how many
 * they are to *rows. -1: ERR_SYSTEM. */
int compute_losses(struct compute *c, const float *w, uint64_t first, uint64_t stride, double *sum,
                   uint64_t *rows, struct err *e);

#endif
