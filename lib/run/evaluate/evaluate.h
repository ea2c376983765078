/* dsgd-eval: what models are worth on data, a row each as soon as it came, or one model's labels. */
#ifndef RUN_EVALUATE_H
#define RUN_EVALUATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/log.h"
#include "base/plug.h"
#include "base/set.h"
#include "data/dataset.h"

struct evaluate {
    const char *model; /* -m FILE: this one; NULL: the stream of models on stdin */
    bool predict;      /* a label a row of data instead of scores; needs model */
    bool proba;        /* the same, with the chances of all classes; needs model */
    bool confusion;    /* which classes are taken for which; needs model */
    struct spec export; /* --export: the model for other programs; needs model, and no data */
    bool constants;    /* a row of what theory wants to know instead; needs model */
    double l2;         /* --l2 of constants; NAN: the model's */
    struct text_list scores; /* --scores: names of measure_table, with commas between */
    bool json;
    double timeout;    /* seconds without a byte on the stream */
    struct input input;
    struct log log;
};

/* Evaluates on the data in paths[0 .. n), which are read once, after the first model. Rows and labels
 * go to stdout. Loss is the mean over the rows whose label the model knows; a label that it never saw
 * is named once and counts as wrong. */
int evaluate(const struct evaluate *c, char *const *paths, size_t n, struct err *e);

#endif
