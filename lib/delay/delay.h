/* Laws of delays, in seconds. */
#ifndef DELAY_DELAY_H
#define DELAY_DELAY_H

#include <stdbool.h>

#include "base/err.h"
#include "base/plug.h"
#include "base/rng.h"

struct durations;

/* How what remains of a delay compares with a new one (THEORY 2.1, definition 3). A law may be both
 * (the exponential), or neither: 0. */
enum delay_ageing {
    DELAY_NLU = 1, /* new longer than used: what remains is the shorter, the longer it has run */
    DELAY_NSU = 2, /* new shorter than used */
};

/* A row of the table: a law X >= 0. conf is the parameters, x seconds. Every parameter is one
 * double, but for the file of `empirical` and `recorded`. */
struct delay_ops {
    struct plug plug;
    double (*sample)(const void *conf,
                     struct rng *r); /* >= 0; infinite when no double can hold it */
    /* Of minibatch `index` of worker `rank`, where that is no matter of chance; NULL: sample. */
    double (*at)(const void *conf, uint64_t rank, uint64_t index);
    double (*cdf)(const void *conf, double x);     /* P(X <= x), precise where it is small */
    double (*logtail)(const void *conf, double x); /* log P(X > x) */
    /* The least x with P(X <= x) >= p, where q = 1 - p is given too, so that either may be tiny.
     * p = 0: the least delay; q = 0: the greatest, maybe infinite. */
    double (*quantile)(const void *conf, double p, double q);
    double (*mean)(const void *conf); /* infinite where it is */
    double (*logpdf)(const void *conf, double x);
    unsigned (*ageing)(const void *conf); /* of enum delay_ageing; NULL: neither */
    /* a > 0 where P(X > x) falls as x^-a, so that E[X^a] is infinite; NULL: all moments are finite. */
    double (*tail_index)(const void *conf);
    /* The parameters under which the durations are likeliest: the product of the densities of the
     * completed and the tails of the censored. 0, or -1 and e: why this law cannot be. NULL: no
     * parameters could be. */
    int (*fit)(void *conf, const struct durations *d, struct err *e);
};
extern const struct table delay_table;

/* Of a parsed SPEC. One without a plug is no delay: 0. */
const struct delay_ops *delay_row(const struct spec *d);
double delay_cdf(const struct spec *d, double x);
double delay_logtail(const struct spec *d, double x);
double delay_quantile(const struct spec *d, double p, double q);
double delay_mean(const struct spec *d);
double delay_logpdf(const struct spec *d, double x);
unsigned delay_ageing(const struct spec *d);
double delay_tail_index(const struct spec *d); /* INFINITY: all moments are finite */

bool delay_is(const struct spec *d, const char *family);
double delay_param(const struct spec *d, const char *name); /* one of its parameters */

/* The SPEC of a row and its parameters, which reads back to the same bits; free() it. NULL and e. */
char *delay_text(const struct delay_ops *row, const void *conf, struct err *e);

/* The delay of minibatch `index` of worker `rank`: the same in every program (stream RNG_DELAY).
 * A spec without a plug is no delay: 0. */
double delay_of(const struct spec *d, uint64_t seed, uint64_t rank, uint64_t index);

#endif
