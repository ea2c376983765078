/* From the sum of the gradients to the next parameters. */
#include "learn/shrink.h"
#include "run/aggregate_inside.h"

/* All of them, into the other array. */
static bool step_all(struct aggregate *a, const struct step_input *in)
{
    if (!a->optimizer->apply(a->state, in))
        return false;
    if (a->conf.l1 > 0)
        shrink(in->layout, in->next, in->rate * a->conf.l1);
    float *was = a->w;
    a->w = a->next;
    a->next = was;
    return true;
}

int aggregate_step(struct aggregate *a, const struct entries *sum, double count, uint64_t version, struct err *e)
{
    const bool some = sum->index != NULL && a->optimizer->touch != NULL && a->conf.l1 == 0 && a->conf.l2 == 0;
    struct step_input in = {
        .layout = a->conf.layout,
        .w = a->w,
        .next = a->next,
        .count = count,
        .rate = a->step->base(a->conf.step->conf, a->iteration),
        .l2 = a->conf.l2,
        .iteration = a->iteration,
    };
    if (!some)
        in.sum = sum->index != NULL ? sum_spread(&a->sum, sum) : sum->value;
    if (some ? !a->optimizer->touch(a->state, &in, sum, a->w) : !step_all(a, &in))
        return err_set(e, ERR_NO, "not finite");
    return changes_note(&a->changes, version, some ? sum->index : NULL, sum->n, e);
}

const uint32_t *aggregate_changes(struct aggregate *a, uint64_t since, size_t *n)
{
    return changes_since(&a->changes, since, n);
}
