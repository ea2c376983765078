/* The sum of the gradients of sparse rows, in which only what the rows touch is looked at. */
#include "run/listed.h"

#include <stdlib.h>

#include "base/mem.h"

int listed_open(struct listed *l, size_t outputs, size_t features, size_t biases, struct err *e)
{
    l->outputs = outputs;
    l->features = features;
    l->biases = biases;
    l->sum = mem_new(outputs * features + biases, sizeof *l->sum, e);
    return l->sum == NULL ? -1 : marks_open(&l->marks, features, e);
}

void listed_close(struct listed *l)
{
    free(l->value);
    free(l->index);
    free(l->feature);
    marks_close(&l->marks);
    free(l->sum);
    *l = (struct listed){ 0 };
}

int listed_meet(struct listed *l, const struct rows *r, struct err *e)
{
    const size_t from = (size_t)r->indptr[0], end = (size_t)r->indptr[r->n];
    l->begun = true;
    l->met += end - from;
    if (mem_grow(&l->feature, &l->feature_cap, l->met < l->features ? l->met : l->features, sizeof *l->feature, e) < 0)
        return -1;
    for (size_t k = from; k < end; k++)
        marks_set(&l->marks, (size_t)r->indices[k]);
    return 0;
}

/* The parameters of the features met, and the biases, in their order. */
static int list(struct listed *l, size_t *n, struct err *e)
{
    const size_t features = marks_take(&l->marks, l->feature);
    size_t at = 0;
    l->met = 0;
    l->begun = false;
    *n = l->outputs * features + l->biases;
    if (mem_grow(&l->index, &l->index_cap, *n, sizeof *l->index, e) < 0 ||
        mem_grow(&l->value, &l->value_cap, *n, sizeof *l->value, e) < 0)
        return -1;
    for (size_t c = 0; c < l->outputs; c++)
        for (size_t k = 0; k < features; k++)
            l->index[at++] = (uint32_t)(c * l->features + l->feature[k]);
    for (size_t c = 0; c < l->biases; c++)
        l->index[at++] = (uint32_t)(l->outputs * l->features + c);
    return 0;
}

int listed_mean(struct listed *l, size_t rows, struct entries *mean, struct err *e)
{
    const float count = (float)rows;
    size_t n;
    if (list(l, &n, e) < 0)
        return -1;
    for (size_t k = 0; k < n; k++) {
        float *sum = &l->sum[l->index[k]];
        l->value[k] = *sum / count;
        *sum = 0;
    }
    *mean = (struct entries){ l->index, l->value, n };
    return 0;
}

int listed_forget(struct listed *l, struct err *e)
{
    struct entries none;
    return l->begun ? listed_mean(l, 1, &none, e) : 0;
}
