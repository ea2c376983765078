/* What optimizers with a memory share: one pass over the parameters, with up to two numbers kept of each. */
#ifndef LEARN_MOMENTS_H
#define LEARN_MOMENTS_H

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "learn/optimizer.h"

struct moments {
    const void *conf;
    double known[2]; /* worked out once a step by rules that ask for it */
    size_t n;
    float *a, *b;   /* (n) as of the last step; b only when asked for */
    float *a2, *b2; /* (n) of the step being made: it counts only when all is finite */
};

static inline void moments_close(void *state)
{
    struct moments *m = state;
    if (m == NULL)
        return;
    free(m->a);
    free(m->b);
    free(m->a2);
    free(m->b2);
    free(m);
}

/* Zeros, one array or two. */
static inline void *moments_open(const void *conf, size_t n, bool two, struct err *e)
{
    struct moments *m = mem_new(1, sizeof *m, e);
    if (m == NULL)
        return NULL;
    m->conf = conf;
    m->n = n;
    m->a = mem_new(n, sizeof *m->a, e);
    m->a2 = mem_new(n, sizeof *m->a2, e);
    m->b = two ? mem_new(n, sizeof *m->b, e) : NULL;
    m->b2 = two ? mem_new(n, sizeof *m->b2, e) : NULL;
    if (m->a != NULL && m->a2 != NULL && (!two || (m->b != NULL && m->b2 != NULL)))
        return m;
    moments_close(m);
    return NULL;
}

/* What is to be taken off a parameter, from its gradient g (mean, with penalty) and its memory. */
typedef double moment_rule(const struct moments *m, double g, double rate, float *a, float *b);

/* next = w - rule(...) for every parameter. The rule is known where this is called, so that it is
 * compiled into the loop. On false w and the memory are as before. */
static inline bool moments_apply(struct moments *m, const struct step_input *in, moment_rule *rule)
{
    bool finite = true;
    for (size_t k = 0; k < in->layout->n; k++) {
        const struct part *p = &in->layout->parts[k];
        double l2 = p->penalised ? in->l2 : 0;
        for (size_t i = p->offset; i < p->offset + p->size; i++) {
            float a = m->a[i], b = m->b != NULL ? m->b[i] : 0;
            double g = in->sum[i] / in->count + l2 * in->w[i];
            in->next[i] = (float)(in->w[i] - rule(m, g, in->rate, &a, &b));
            finite = finite && isfinite(in->next[i]);
            m->a2[i] = a;
            if (m->b2 != NULL)
                m->b2[i] = b;
        }
    }
    if (!finite)
        return false;
    float *a = m->a, *b = m->b;
    m->a = m->a2, m->a2 = a;
    m->b = m->b2, m->b2 = b;
    return true;
}

#endif
