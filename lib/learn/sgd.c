/* Plain stochastic gradient descent: next = w - rate (sum / count + l2 w). */
#include "learn/optimizer.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { LANES = 8 }; /* floats a round: a trip count the compiler knows, so that it vectorises */

/* Two factors for one part: next = w - scale * sum - decay * w, rounded to float once. */
struct factors {
    double scale, decay;
};

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float step(float w, float sum, const struct factors *f)
{
    return (float)(w - (f->scale * sum + f->decay * w));
}

/* An exponent of all ones is an infinity or no number; true when some bits say so. */
static bool step_part(float *restrict next, const float *restrict w, const float *restrict sum,
                      size_t n, struct factors f)
{
    const uint32_t exponent = 0x7f800000;
    uint32_t bad = 0;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t k = i; k < i + LANES; k++) {
            next[k] = step(w[k], sum[k], &f);
            bad |= (bits_of(next[k]) & exponent) == exponent;
        }
    for (; i < n; i++) {
        next[i] = step(w[i], sum[i], &f);
        bad |= (bits_of(next[i]) & exponent) == exponent;
    }
    return bad;
}

static bool apply(void *state, const struct step_input *in)
{
    (void)state;
    bool bad = false;
    for (size_t i = 0; i < in->layout->n; i++) {
        const struct part *p = &in->layout->parts[i];
        struct factors f = { in->rate / in->count, p->penalised ? in->rate * in->l2 : 0 };
        bad |= step_part(in->next + p->offset, in->w + p->offset, in->sum + p->offset, p->size, f);
    }
    return !bad;
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
    .close = free,
};
