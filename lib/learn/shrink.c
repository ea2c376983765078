/* The proximal step of an l1 penalty. */
#include "learn/shrink.h"

static void shrink_part(float *w, size_t n, float by)
{
    for (size_t i = 0; i < n; i++) {
        float less = w[i] > by ? w[i] - by : 0;
        w[i] = w[i] < -by ? w[i] + by : less;
    }
}

void shrink(const struct layout *l, float *w, double by)
{
    for (const struct part *p = l->parts; p < l->parts + l->n; p++)
        if (p->penalised)
            shrink_part(w + p->offset, p->size, (float)by);
}
