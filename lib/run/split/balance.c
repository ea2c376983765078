/* Classes that count alike in training: W / (classes W_k), W_k the sum of the weights of class k. */
#include "run/split/balance.h"

#include <stdlib.h>

#include "base/mem.h"

int balance_begin(struct balance *b, size_t classes, struct err *e)
{
    b->n = classes;
    b->factor = mem_new(classes, sizeof *b->factor, e);
    return b->factor == NULL ? -1 : 0;
}

/* Until it is settled a factor is the sum of its class. */
void balance_meet(struct balance *b, size_t k, double weight)
{
    if (b->factor == NULL)
        return;
    b->factor[k] += weight;
    b->sum += weight;
}

/* A class that only held-out rows are of has no row to balance. */
void balance_settle(struct balance *b)
{
    size_t present = 0;
    for (size_t k = 0; k < b->n; k++)
        present += b->factor[k] > 0;
    for (size_t k = 0; k < b->n; k++)
        b->factor[k] = b->factor[k] > 0 ? b->sum / ((double)present * b->factor[k]) : 1;
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
