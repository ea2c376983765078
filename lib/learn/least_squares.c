/* Least squares: loss (s - y)^2 / 2. */
#include "learn/engine.h"

static double point(const float *s, size_t outputs, double y, float *ds)
{
    (void)outputs;
    double residual = s[0] - y;
    ds[0] = (float)residual;
    return residual * residual / 2;
}

static double predict(const float *s, size_t outputs)
{
    (void)outputs;
    return s[0];
}

static void bend(const float *s, size_t outputs, float *t)
{
    (void)s, (void)outputs, (void)t; /* times 1 */
}

extern const struct gradient_ops gradient_least_squares;
const struct gradient_ops gradient_least_squares = { "least-squares", &engine_linear, point, predict, bend, NULL, false };
