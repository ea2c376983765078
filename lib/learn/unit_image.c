/* Where rows become images, and images rows again: from plane behind plane to pixel behind pixel, and back. */
#include <string.h>

#include "learn/unit.h"

static int open_none(struct unit *u, struct err *e)
{
    (void)u, (void)e;
    return 0;
}

static void close_none(struct unit *u)
{
    (void)u;
}

/* Where feature j of a row stands among its pixels. */
static size_t place(const struct unit *u, size_t j)
{
    size_t pixels = (size_t)(u->stage.in.height * u->stage.in.width);
    return j % pixels * u->out_step + j / pixels;
}

static void put_floats(const struct unit *u, const struct rows *x, size_t r, float *y)
{
    const float *from = x->x + r * x->features;
    size_t pixels = (size_t)(u->stage.in.height * u->stage.in.width);
    for (size_t j = 0, c = 0; j < x->features; j += pixels, c++)
        for (size_t p = 0; p < pixels && j + p < x->features; p++)
            y[p * u->out_step + c] = from[j + p];
}

static void put_bytes(const struct unit *u, const struct rows *x, size_t r, float *y)
{
    for (size_t j = 0; j < x->features; j++)
        y[place(u, j)] = (float)x->bytes[r * x->features + j] * x->scale;
}

static void put_sparse(const struct unit *u, const struct rows *x, size_t r, float *y)
{
    for (int64_t k = x->indptr[r]; k < x->indptr[r + 1]; k++)
        y[place(u, (size_t)x->indices[k])] = x->values[k];
}

static void pixels_forward(struct unit *u, const float *w, const struct rows *x, float *y)
{
    static void (*const put[])(const struct unit *, const struct rows *, size_t, float *) = {
        [ROWS_DENSE] = put_floats, [ROWS_BYTES] = put_bytes, [ROWS_SPARSE] = put_sparse
    };
    (void)w;
    memset(y, 0, x->n * u->out * sizeof *y);
    for (size_t r = 0; r < x->n; r++)
        put[x->kind](u, x, r, y + r * u->out);
}

static void flat_forward(struct unit *u, const float *w, const struct rows *x, float *y)
{
    size_t pixels = (size_t)(u->stage.in.height * u->stage.in.width);
    (void)w;
    for (size_t r = 0; r < x->n; r++, y += u->out)
        for (size_t p = 0; p < pixels; p++)
            for (size_t c = 0; c < u->stage.in.channels; c++)
                y[c * pixels + p] = x->x[r * u->in + p * u->in_step + c];
}

static void flat_backward(struct unit *u, const float *w, const struct rows *x, const float *dy,
                          float *dx, float *sum)
{
    size_t pixels = (size_t)(u->stage.in.height * u->stage.in.width);
    (void)w, (void)sum;
    memset(dx, 0, x->n * u->in * sizeof *dx);
    for (size_t r = 0; r < x->n; r++, dy += u->out)
        for (size_t p = 0; p < pixels; p++)
            for (size_t c = 0; c < u->stage.in.channels; c++)
                dx[r * u->in + p * u->in_step + c] = dy[c * pixels + p];
}

const struct unit_ops unit_pixels = { open_none, close_none, pixels_forward, NULL };
const struct unit_ops unit_flat = { open_none, close_none, flat_forward, flat_backward };
