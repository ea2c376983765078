/* Order statistics of workers that differ: the Poisson-binomial form (THEORY 2.3). */
#include "theory/mixed.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/special.h"
#include "delay/empirical.h"
#include "theory/pmf.h"
#include "theory/quad.h"

enum { BENDS_MAX = 20000, MANY = 5000 };

struct mixed {
    const struct delays *d;
    uint64_t k;
    bool sum;
    struct pmf done, one, more; /* counts below k by some time */
    struct bend *bend;
    size_t bends, cap;
};

/* The counts of all laws, added up. */
static const struct pmf *count(struct mixed *m, double t)
{
    pmf_none(&m->done);
    for (size_t i = 0; i < m->d->laws; i++) {
        const struct spec *law = &m->d->law[i].law;
        pmf_binomial(&m->one, m->d->law[i].workers, delay_cdf(law, t), exp(delay_logtail(law, t)));
        pmf_add(&m->more, &m->done, &m->one);
        struct pmf swap = m->done;
        m->done = m->more;
        m->more = swap;
    }
    return &m->done;
}

static double fewer(void *state, double t)
{
    struct mixed *m = state;
    const struct spec *law = &m->d->law[0].law;
    double p = (double)m->d->workers, k = (double)m->k;
    if (m->d->laws == 1)
        return beta_i(p - k + 1, k, exp(delay_logtail(law, t)), delay_cdf(law, t));
    return pmf_below(count(m, t));
}

static double missing(void *state, double t)
{
    return pmf_short(count(state, t));
}

static int add_bend(struct mixed *m, double t, bool start, struct err *e)
{
    if (!isfinite(t))
        return 0;
    if (mem_grow(&m->bend, &m->cap, m->bends + 1, sizeof *m->bend, e) < 0)
        return -1;
    m->bend[m->bends++] = (struct bend){ t, start };
    return 0;
}

/* Where a law begins and ends; of an empirical one, its steps, or some of very many. */
static int add_bends(struct mixed *m, const struct spec *law, struct err *e)
{
    const struct steps *s = empirical_steps(law);
    size_t stride = s ? 1 + s->n / BENDS_MAX : 1;
    for (size_t i = 0; s && i < s->n; i += stride)
        if (add_bend(m, s->x[i], false, e) < 0)
            return -1;
    if (add_bend(m, delay_quantile(law, 0, 1), s == NULL && !delay_is(law, "const"), e) < 0)
        return -1;
    return add_bend(m, delay_quantile(law, 1, 0), false, e);
}

static int by_time(const void *a, const void *b)
{
    const struct bend *p = a, *q = b;
    return (p->t > q->t) - (p->t < q->t);
}

static int find_bends(struct mixed *m, struct err *e)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->d->laws; i++)
        if (add_bends(m, &m->d->law[i].law, e) < 0)
            return -1;
    qsort(m->bend, m->bends, sizeof *m->bend, by_time);
    for (size_t i = 0; i < m->bends; i++) {
        if (kept > 0 && m->bend[kept - 1].t == m->bend[i].t)
            m->bend[kept - 1].start |= m->bend[i].start;
        else
            m->bend[kept++] = m->bend[i];
    }
    m->bends = kept;
    return 0;
}

static int ascending(const void *a, const void *b)
{
    const struct delays_law *const *p = a, *const *q = b;
    double x = delay_tail_index(&(*p)->law), y = delay_tail_index(&(*q)->law);
    return (x > y) - (x < y);
}

/* P - K + 1 workers must still be busy; the ones with the heaviest tails are so the longest. */
int mixed_tail_index(double *index, const struct delays *d, uint64_t k, struct err *e)
{
    const struct delays_law **law = mem_new(d->laws, sizeof *law, e);
    if (law == NULL)
        return -1;
    for (size_t i = 0; i < d->laws; i++)
        law[i] = &d->law[i];
    qsort(law, d->laws, sizeof *law, ascending);
    uint64_t busy = d->workers - k + 1;
    *index = 0;
    for (size_t i = 0; i < d->laws && busy > 0; i++) {
        uint64_t n = law[i]->workers < busy ? law[i]->workers : busy;
        *index += (double)n * delay_tail_index(&law[i]->law);
        busy -= n;
    }
    free(law);
    return 0;
}

static bool bounded(const struct delays *d)
{
    for (size_t i = 0; i < d->laws; i++)
        if (!isfinite(delay_quantile(&d->law[i].law, 1, 0)))
            return false;
    return true;
}

int mixed_mean(double *mean, const struct delays *d, uint64_t k, bool sum, struct err *e)
{
    struct mixed m = { .d = d, .k = k, .sum = sum };
    double trim = d->workers > MANY ? 1e-40 : 0, index;
    int status = mixed_tail_index(&index, d, k, e);
    if (status == 0 && (pmf_open(&m.done, k, trim, e) < 0 || pmf_open(&m.one, k, trim, e) < 0 ||
                        pmf_open(&m.more, k, trim, e) < 0 || find_bends(&m, e) < 0))
        status = -1;
    if (status == 0) {
        struct survival s = { .above = sum ? missing : fewer,
                              .state = &m,
                              .whole = sum ? (double)k : 1,
                              .bend = m.bend,
                              .bends = m.bends,
                              .bounded = bounded(d),
                              .tail_index = index };
        *mean = index <= 1 ? INFINITY : survival_mean(&s);
    }
    free(m.bend);
    pmf_close(&m.more);
    pmf_close(&m.one);
    pmf_close(&m.done);
    return status;
}
