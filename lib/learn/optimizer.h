/* From the mean gradient to the next parameters, and how large a step is. */
#ifndef LEARN_OPTIMIZER_H
#define LEARN_OPTIMIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/entries.h"
#include "base/err.h"
#include "base/plug.h"
#include "learn/model.h"

/* next = parameters after the step, from w, both of n floats; g: the sum of `count` gradients, to be
 * divided by count; l2 is added for penalised parts. Returns false when some parameter of next is not
 * finite (w is untouched then, as always). */
struct step_input {
    const struct layout *layout;
    const float *w, *sum;
    float *next;
    double count, rate, l2;
    uint64_t iteration; /* steps made before this one */
};
/* An array that an optimizer keeps from step to step, a number for each parameter. */
struct memory {
    const char *name;
    float *v; /* (n) */
};
enum { MEMORIES = 2 /* of one optimizer, at most */ };
struct optimizer_ops {
    struct plug plug;
    void *(*open)(const void *conf, size_t n, struct err *e); /* state, or NULL and e */
    bool (*apply)(void *state, const struct step_input *in);
    /* The same for a sum that is 0 but for some entries, without penalty: what changes is changed in w, and gets the
     * value that `apply` would give it. in->w, sum and next are not looked at. false: w is untouched. NULL: all change. */
    bool (*touch)(void *state, const struct step_input *in, const struct entries *sum, float *w);
    /* All that it remembers, good until the next step: to be kept, or to be put in place by writing there. Returns how
     * many; NULL: nothing. */
    size_t (*memory)(void *state, struct memory v[static MEMORIES]);
    void (*close)(void *state);
};
extern const struct table optimizer_table;

/* How far behind a gradient is. */
struct stale {
    uint64_t staleness, workers; /* updates since the read; P */
    double distance;             /* ||w_j - w_tau||^2, when the row asks for it; else 0 */
};

/* The base step of an iteration (from 0), and the weight of one gradient of it, in [0, 1], for those
 * rules that look at staleness (NULL: all weigh 1). */
struct step_ops {
    struct plug plug;
    double (*base)(const void *conf, uint64_t iteration);
    double (*weight)(const void *conf, const struct stale *s);
    bool distance; /* weight needs it */
};
extern const struct table step_table; /* const:RATE; a bare number is const: (see step_parse) */

/* "-e 0.1" = "const:0.1". A setter for option rows: target is a struct spec. */
int step_parse(void *target, const char *text, struct err *e);

#endif
