/* Plain stochastic gradient descent: next = w - rate (sum / count + l2 w). */
#include "learn/optimizer.h"

#include <stdlib.h>

#include "base/floats.h"
#include "base/mem.h"

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
