/* Logistic regression of two classes: loss log(1 + exp(-z)), z = +s for class 1, -s for class 0. */
#include "learn/engine.h"

#include <math.h>

/* With t = exp(-|z|) <= 1 nothing overflows, and log1p keeps losses far below 1 exact. */
static double point(const float *s, size_t outputs, double y, float *ds)
{
    (void)outputs;
    double sign = y > 0 ? 1 : -1, z = sign * s[0];
    double t = exp(-fabs(z));
    ds[0] = (float)(-sign * (z > 0 ? t : 1) / (1 + t));
    return log1p(t) + (z > 0 ? 0 : -z);
}

static double predict(const float *s, size_t outputs)
{
    (void)outputs;
    return s[0] > 0;
}

/* p (1 - p), with t = exp(-|s|) as above: t / (1 + t)^2. */
static void bend(const float *s, size_t outputs, float *t)
{
    (void)outputs;
    double small = exp(-fabs((double)s[0]));
    t[0] *= (float)(small / ((1 + small) * (1 + small)));
}

static void chances(const float *s, size_t outputs, double *p)
{
    (void)outputs;
    p[0] = 1 / (1 + exp((double)s[0]));
    p[1] = 1 / (1 + exp(-(double)s[0]));
}

extern const struct gradient_ops gradient_logistic;
const struct gradient_ops gradient_logistic = { "logistic", &engine_linear, point, predict, bend, chances, false };
