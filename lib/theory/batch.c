/* K-batch-sync with a shifted exponential delay: the workers' counts, convolved. */
#include "theory/batch.h"

#include <math.h>

#include "base/special.h"
#include "theory/pmf.h"
#include "theory/quad.h"

enum { BENDS = 8 };

struct batch {
    uint64_t workers, k;
    double shift, mean;
    struct pmf power, sum, spare; /* of 2^i workers; of those already added; the next of either */
};

static double at_least(const struct batch *b, double n, double t)
{
    double left = t - n * b->shift;
    return n == 0 ? 1 : left > 0 ? exp(log_gamma_p(n, left / b->mean)) : 0;
}

/* Of one worker. */
static void count(struct pmf *f, const struct batch *b, double t)
{
    double here = 1;
    f->low = f->n = 0;
    for (size_t n = 0; n < f->limit && here > 0; n++) {
        double next = at_least(b, (double)n + 1, t);
        f->p[f->n++] = fmax(here - next, 0);
        here = next;
    }
}

static void add(struct pmf *to, const struct pmf *more, struct pmf *spare)
{
    pmf_add(spare, to, more);
    struct pmf swap = *to;
    *to = *spare;
    *spare = swap;
}

/* Of all workers, by the binary digits of their number. */
static double fewer(void *state, double t)
{
    struct batch *b = state;
    count(&b->power, b, t);
    pmf_none(&b->sum);
    for (uint64_t left = b->workers; left > 0; left /= 2) {
        if (left % 2 == 1)
            add(&b->sum, &b->power, &b->spare);
        if (left > 1)
            add(&b->power, &b->power, &b->spare);
    }
    return pmf_below(&b->sum);
}

int batch_shifted_mean(double *seconds, uint64_t workers, uint64_t k, double shift, double mean,
                       struct err *e)
{
    struct batch b = { .workers = workers, .k = k, .shift = shift, .mean = mean };
    struct bend bend[BENDS];
    double first = (double)((k - 1) / workers + 1); /* gradients that someone must have made */
    for (int i = 0; i < BENDS; i++)
        bend[i] = (struct bend){ (first + i) * shift, true };
    int status = 0;
    if (pmf_open(&b.power, k, 1e-30, e) < 0 || pmf_open(&b.sum, k, 1e-30, e) < 0 ||
        pmf_open(&b.spare, k, 1e-30, e) < 0)
        status = -1;
    struct survival s = { .above = fewer,
                          .state = &b,
                          .whole = 1,
                          .bend = bend,
                          .bends = BENDS,
                          .tail_index = INFINITY };
    if (status == 0)
        *seconds = survival_mean(&s);
    pmf_close(&b.spare);
    pmf_close(&b.sum);
    pmf_close(&b.power);
    return status;
}
