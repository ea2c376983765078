/* Linear support vector machine: loss max(0, 1 - z), z = +s for class 1, -s for class 0. */
#include "learn/engine.h"

static double point(const float *s, size_t outputs, double y, float *ds)
{
    (void)outputs;
    double sign = y > 0 ? 1 : -1, lack = 1 - sign * s[0];
    ds[0] = 0;
    if (lack <= 0)
        return 0;
    ds[0] = (float)-sign;
    return lack;
}

static double predict(const float *s, size_t outputs)
{
    (void)outputs;
    return s[0] > 0;
}

extern const struct gradient_ops gradient_hinge;
const struct gradient_ops gradient_hinge = { "hinge", &engine_linear, point, predict, NULL, NULL, false };
