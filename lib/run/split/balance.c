/* Classes that count alike in training: W / (classes W_k), W_k the sum of the weights of class k. */
#include "run/split/balance.h"

#include <stdlib.h>

#include "base/mem.h"

/* Sums of weights by class into factor; returns that of all. */
static double weigh_classes(struct balance *b, const struct dataset *d, const uint64_t *row, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t at = row[i];
        const struct rows *part = dataset_find(d, &at);
        double weight = rows_weight(part, (size_t)at);
        b->factor[dataset_class(d, row[i])] += weight;
        sum += weight;
    }
    return sum;
}

/* A class that only held-out rows are of has no row to balance. */
int balance_find(struct balance *b, const struct dataset *d, const uint64_t *row, size_t n, struct err *e)
{
    size_t present = 0;
    if (d->classes.targets)
        return err_set(e, ERR_USAGE, "%s: --balance: labels are targets, not classes", d->name);
    b->n = d->classes.n;
    b->factor = mem_new(b->n, sizeof *b->factor, e);
    if (b->factor == NULL)
        return -1;
    double sum = weigh_classes(b, d, row, n);
    for (size_t k = 0; k < b->n; k++)
        present += b->factor[k] > 0;
    for (size_t k = 0; k < b->n; k++)
        b->factor[k] = b->factor[k] > 0 ? sum / ((double)present * b->factor[k]) : 1;
    return 0;
}

void balance_apply(const struct balance *b, struct builder *rows, size_t i, size_t k)
{
    rows->weights[i] = (float)(rows->weights[i] * b->factor[k]);
}

void balance_free(struct balance *b)
{
    free(b->factor);
    *b = (struct balance){ 0 };
}
