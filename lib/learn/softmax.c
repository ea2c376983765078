/* Softmax of a linear model's scores or a network's: loss -log p_y, p = exp(s) / sum exp(s). */
#include "learn/engine.h"

#include <math.h>

static size_t largest(const float *s, size_t outputs)
{
    size_t at = 0;
    for (size_t c = 1; c < outputs; c++)
        if (s[c] > s[at])
            at = c;
    return at;
}

/* Log-sum-exp: scores are taken relative to the largest, whose own 1 stays out of the sum, so that
 * losses and derivatives far below 1 keep their digits. */
static double point(const float *s, size_t outputs, double y, float *ds)
{
    size_t top = largest(s, outputs), label = (size_t)y;
    double rest = 0;
    for (size_t c = 0; c < outputs; c++) {
        ds[c] = expf(s[c] - s[top]);
        rest += c == top ? ds[c] - 1 : ds[c];
    }
    float scale = (float)(1 / (1 + rest));
    for (size_t c = 0; c < outputs; c++)
        ds[c] *= scale;
    ds[label] = label == top ? (float)(-rest / (1 + rest)) : ds[label] - 1;
    return log1p(rest) + ((double)s[top] - s[label]);
}

static double predict(const float *s, size_t outputs)
{
    return (double)largest(s, outputs);
}

/* p_c (t_c - sum p t) */
static void bend(const float *s, size_t outputs, float *t)
{
    float top = s[largest(s, outputs)];
    double sum = 0, mean = 0;
    for (size_t c = 0; c < outputs; c++) {
        sum += expf(s[c] - top);
        mean += (double)expf(s[c] - top) * t[c];
    }
    mean /= sum;
    for (size_t c = 0; c < outputs; c++)
        t[c] = (float)(expf(s[c] - top) / sum * (t[c] - mean));
}

static void chances(const float *s, size_t outputs, double *p)
{
    float top = s[largest(s, outputs)];
    double sum = 0;
    for (size_t c = 0; c < outputs; c++)
        sum += exp((double)s[c] - top);
    for (size_t c = 0; c < outputs; c++)
        p[c] = exp((double)s[c] - top) / sum;
}

extern const struct gradient_ops gradient_softmax, gradient_mlp, gradient_cnn;
const struct gradient_ops gradient_softmax = { "softmax", &engine_linear, point, predict, bend, chances, false };
const struct gradient_ops gradient_mlp = { "mlp", &engine_mlp, point, predict, NULL, chances, false };
const struct gradient_ops gradient_cnn = { "cnn", &engine_cnn, point, predict, NULL, chances, false };
