/* Plain stochastic gradient descent: next = w - rate (sum / count + l2 w). */
#include "learn/optimizer.h"

#include <stdlib.h>

#include "base/floats.h"
#include "base/mem.h"

enum { SOME = 256 /* entries at a time */ };

static bool apply(void *state, const struct step_input *in)
{
    (void)state;
    bool bad = false;
    for (size_t i = 0; i < in->layout->n; i++) {
        const struct part *p = &in->layout->parts[i];
        double scale = in->rate / in->count, decay = p->penalised ? in->rate * in->l2 : 0;
        bad |= !floats_descend(in->next + p->offset, in->w + p->offset, in->sum + p->offset, p->size, scale, decay);
    }
    return !bad;
}

/* What becomes of n entries from `at` on: their parameters, one after the other. */
static bool descend_some(const struct step_input *in, const struct entries *sum, const float *w, size_t at, size_t n,
                         float *next)
{
    float was[SOME];
    for (size_t k = 0; k < n; k++)
        was[k] = w[sum->index[at + k]];
    return floats_descend(next, was, sum->value + at, n, in->rate / in->count, 0);
}

static size_t some_of(const struct entries *sum, size_t at)
{
    return sum->n - at < SOME ? sum->n - at : SOME;
}

/* Twice, so that nothing is written when something is not finite. */
static bool touch(void *state, const struct step_input *in, const struct entries *sum, float *w)
{
    float next[SOME];
    bool finite = true;
    (void)state;
    for (size_t at = 0; at < sum->n; at += SOME)
        finite &= descend_some(in, sum, w, at, some_of(sum, at), next);
    for (size_t at = 0; at < sum->n && finite; at += SOME) {
        const size_t n = some_of(sum, at);
        descend_some(in, sum, w, at, n, next);
        for (size_t k = 0; k < n; k++)
            w[sum->index[at + k]] = next[k];
    }
    return finite;
}

static void *open_state(const void *conf, size_t n, struct err *e)
{
    (void)conf, (void)n;
    return mem_new(0, 1, e); /* it remembers nothing */
}

extern const struct optimizer_ops optimizer_sgd;
const struct optimizer_ops optimizer_sgd = {
    .plug = { .name = "sgd", .help = "w - rate * (mean gradient + l2 * w)" },
    .open = open_state,
    .apply = apply,
    .touch = touch,
    .close = free,
};
