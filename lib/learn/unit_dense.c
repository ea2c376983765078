/* A dense layer as a unit. */
#include <stdlib.h>

#include "base/mem.h"
#include "learn/linear.h"
#include "learn/unit.h"

static int open_dense(struct unit *u, struct err *e)
{
    u->self = mem_new(1, sizeof(struct linear), e);
    return u->self == NULL ? -1 : linear_open(u->self, u->out, u->in, u->stage.biases > 0, e);
}

static void close_dense(struct unit *u)
{
    if (u->self != NULL)
        linear_close(u->self);
    free(u->self);
}

static void forward(struct unit *u, const float *w, const struct rows *x, float *y)
{
    linear_scores(u->self, w, x, y);
}

static void backward(struct unit *u, const float *w, const struct rows *x, const float *dy, float *dx,
                     float *sum)
{
    linear_add(u->self, dy, x, sum);
    if (u->back)
        linear_back(u->self, w, dy, x->n, dx);
}

const struct unit_ops unit_dense = { open_dense, close_dense, forward, backward };
