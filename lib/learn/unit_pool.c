/* The largest value of each square, channel by channel; what is left of the image right and below of the
 * last whole square does not count. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/unit.h"

/* self: (in_step) derivatives that no value of a square has got yet. */
static int open_pool(struct unit *u, struct err *e)
{
    u->self = mem_new(u->in_step, sizeof(float), e);
    return u->self == NULL ? -1 : 0;
}

static void close_pool(struct unit *u)
{
    free(u->self);
}

/* Floats from the image's start to where the square of output pixel p begins. */
static size_t corner(const struct unit *u, size_t p)
{
    size_t width = (size_t)u->stage.out.width, side = u->stage.layer.side;
    return (p / width * (size_t)u->stage.in.width + p % width) * side * u->in_step;
}

/* y[c] = the larger of both; what is no number is passed on. */
static void larger(float *restrict y, const float *restrict x, size_t n)
{
    for (size_t c = 0; c < n; c++)
        y[c] = x[c] <= y[c] ? y[c] : x[c];
}

static void forward(struct unit *u, const float *w, const struct rows *x, float *y)
{
    size_t pixels = (size_t)(u->stage.out.height * u->stage.out.width), side = u->stage.layer.side;
    size_t line = (size_t)u->stage.in.width * u->in_step;
    (void)w;
    for (size_t r = 0; r < x->n; r++)
        for (size_t p = 0; p < pixels; p++, y += u->out_step) {
            const float *from = x->x + r * u->in + corner(u, p);
            memcpy(y, from, u->in_step * sizeof *y);
            for (size_t k = 1; k < side * side; k++)
                larger(y, from + k / side * line + k % side * u->in_step, u->in_step);
        }
}

/* dx of the first of the square's values that is the largest; left[c] is what no one has got yet. */
static void give(float *restrict dx, const float *restrict x, const float *restrict y,
                 float *restrict left, size_t n)
{
    for (size_t c = 0; c < n; c++) {
        dx[c] = x[c] == y[c] ? left[c] : 0;
        left[c] = x[c] == y[c] ? 0 : left[c];
    }
}

static void backward(struct unit *u, const float *w, const struct rows *x, const float *dy, float *dx,
                     float *sum)
{
    size_t pixels = (size_t)(u->stage.out.height * u->stage.out.width), side = u->stage.layer.side;
    size_t line = (size_t)u->stage.in.width * u->in_step;
    const float *y = u->y;
    (void)w, (void)sum;
    memset(dx, 0, x->n * u->in * sizeof *dx);
    for (size_t r = 0; u->back && r < x->n; r++)
        for (size_t p = 0; p < pixels; p++, y += u->out_step, dy += u->out_step) {
            size_t at = r * u->in + corner(u, p);
            float *left = u->self;
            memcpy(left, dy, u->in_step * sizeof *left);
            for (size_t k = 0; k < side * side; k++) {
                size_t one = at + k / side * line + k % side * u->in_step;
                give(dx + one, x->x + one, y, left, u->in_step);
            }
        }
}

const struct unit_ops unit_pool = { open_pool, close_pool, forward, backward };
