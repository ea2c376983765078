/* Which rows minibatch i of worker r is: a pass is a permutation, cut into pieces of b rows. */
#include "run/minibatch.h"

#include "base/rng.h"

uint64_t minibatch_pass(const struct minibatch *m)
{
    return m->rows / m->size + (m->rows % m->size != 0);
}

static uint64_t first_of(const struct minibatch *m, uint64_t seq)
{
    return seq % minibatch_pass(m) * m->size;
}

uint64_t minibatch_size(const struct minibatch *m, uint64_t seq)
{
    uint64_t left = m->rows - first_of(m, seq);
    return left < m->size ? left : m->size;
}

size_t minibatch_rows(const struct minibatch *m, uint64_t seq, uint64_t *row)
{
    uint64_t pass = seq / minibatch_pass(m);
    uint64_t first = first_of(m, seq);
    size_t n = (size_t)minibatch_size(m, seq);
    struct perm p;
    perm_open(&p, m->rows, m->seed, RNG_MINIBATCH, m->rank, pass);
    for (size_t i = 0; i < n; i++)
        row[i] = perm_at(&p, first + i);
    return n;
}
