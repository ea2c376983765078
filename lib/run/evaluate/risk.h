/* The objective on a data set: F(w) = mean loss + (l2 / 2) ||W||^2, its slope, its curvature, its noise. */
#ifndef RUN_RISK_H
#define RUN_RISK_H

#include <stddef.h>

#include "base/err.h"
#include "data/dataset.h"
#include "learn/gradient.h"
#include "learn/model.h"

/* w below: (size) parameters in double; what a model computes with are the floats nearest to them. */
struct risk {
    const struct layout *layout;
    const struct dataset *data; /* these must outlive it */
    const double *y;            /* (rows): class index or target */
    double l2;
    size_t size;
    struct gradient *gradient;
    float *w, *v, *sum;  /* (size): parameters, a direction, the sum under way */
    double *total;       /* (size): where the sum goes */
    size_t rows;         /* in the sum */
    double loss, squares; /* of losses, of squared norms: summed over the rows */
    void (*heard)(void *self); /* called once a pass, or NULL */
    void *self;
};

/* Zeroed before use. -1: ERR_SYSTEM; risk_close is due all the same. */
int risk_open(struct risk *r, const struct model *m, const struct dataset *d, const double *y, double l2,
              struct err *e);
void risk_close(struct risk *r);

/* F at w, and its gradient (size); *loss: the mean loss alone, or NULL. */
double risk_slope(struct risk *r, const double *w, double *gradient, double *loss);

/* hv = H v, H the second derivatives of F at w: exactly, for a model of linear scores (gradient_bend). Of a
 * smooth loss only. */
void risk_bend(struct risk *r, const double *w, const double *v, double *hv);

/* The variance of the gradient of one row: sum over rows ||g_i - g||^2 / (rows - 1), g their mean, without
 * the penalty, into gradient (size). NAN with one row. */
double risk_noise(struct risk *r, const double *w, double *gradient);

#endif
