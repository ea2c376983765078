/* The gradients of the update to come: corrected one by one, held until it or added on arrival. */
#ifndef RUN_SUM_H
#define RUN_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/entries.h"
#include "base/err.h"
#include "base/marks.h"
#include "run/correct.h"
#include "run/versions.h"

/* A gradient that waits for the update, as it came. */
struct held {
    struct entries g; /* value NULL: none */
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
    bool some;           /* something is in it already, */
    bool all;            /* and not only at the places that are marked */
    bool dirty;          /* it is not 0 where nothing is in it */
    struct marks marks;
    size_t met;          /* entries added to those places */
    uint32_t *index;     /* the places, */
    float *value;        /* and what is there, of the last total */
    size_t index_cap, value_cap;
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

/* As long as the parameters, whatever it is. Takes the place of the sum, which is empty. */
const float *sum_spread(struct sum *s, const struct entries *g);

/* One more gradient counts for the update to come; then one of the next three says how. */
int sum_count(struct sum *s, const struct share *one, struct err *e);
void sum_hold(struct sum *s, uint64_t worker, const struct held *h);
int sum_add(struct sum *s, uint64_t worker, const struct held *h, const float *w, struct err *e);
/* It makes the update all by itself: as corrected, good until the next call. */
struct entries sum_alone(struct sum *s, uint64_t worker, const struct held *h, const float *w);

/* The sum; those that were held are added now, by rank, so that the bits do not depend on who came
 * first. w: the parameters now. -1: ERR_SYSTEM. */
int sum_total(struct sum *s, const float *w, struct entries *total, struct err *e);
/* After sum_total, where there was more than one: the sum of the losses, in the same order. */
double sum_loss(const struct sum *s);
/* The update was made: its gradients are used, the next sum is empty. */
void sum_settle(struct sum *s);

#endif
