/* The gradients of the update to come: corrected one by one, held until it or added on arrival. */
#ifndef RUN_SUM_H
#define RUN_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/correct.h"
#include "run/versions.h"

/* A gradient that waits for the update, as it came. */
struct held {
    const float *g; /* (size); NULL: none */
    uint64_t staleness;
};

/* Whose gradient is in the update to come. */
struct share {
    uint64_t worker, rows;
    double loss; /* mean over its rows */
};

/* Zeroed before use, but for correct. */
struct sum {
    size_t size;
    float *sum;          /* (size) */
    bool some;           /* something is in it already */
    struct held *held;   /* (P), by rank */
    struct share *share; /* (shares) in order of arrival */
    size_t shares, share_cap;
    uint64_t *rows;      /* (P): of the gradients used */
    struct correct *correct; /* owned */
    const struct versions *versions; /* what workers read, where it is needed; or NULL */
};

/* -1: ERR_SYSTEM; sum_close is due all the same. */
int sum_open(struct sum *s, size_t size, uint64_t workers, struct err *e);
void sum_close(struct sum *s);

/* Whatever optimizer and step make of it, nothing good follows from a gradient of which this is false. */

/* One more gradient counts for the update to come; then one of the next three says how. */
int sum_count(struct sum *s, const struct share *one, struct err *e);
void sum_hold(struct sum *s, uint64_t worker, const struct held *h);
void sum_add(struct sum *s, uint64_t worker, const struct held *h, const float *w);
/* It makes the update all by itself: as corrected, good until the next call. */
const float *sum_alone(struct sum *s, uint64_t worker, const struct held *h, const float *w);

/* The sum; those that were held are added now, by rank, so that the bits do not depend on who came
 * first. w: the parameters now. */
const float *sum_total(struct sum *s, const float *w);
/* After sum_total, where there was more than one: the sum of the losses, in the same order. */
double sum_loss(const struct sum *s);
/* The update was made: its gradients are used, the next sum is empty. */
void sum_settle(struct sum *s);

#endif
