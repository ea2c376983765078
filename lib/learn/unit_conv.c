/* Convolution with a square window, a step of one pixel and zeros around, so that the image keeps its size:
 * y[p][o] = b[o] + sum over the window around p and the channels c of w[o][c][dy][dx] x[p + (dy, dx)][c].
 *
 * A row of the window is a run of floats in a row of the image, so that each window is a row of a matrix as
 * tiles.h takes it. Weights and their gradient are kept as (window row, window column, channel, output) while
 * a block is at work. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/tiles.h"
#include "learn/unit.h"

struct conv {
    tiles_add *add;
    size_t height, width, side;
    size_t before;        /* rows of zeros above and columns left of the image; of an even side one less than
                             below and right */
    size_t in, out;       /* floats a pixel */
    size_t channels, outputs;
    bool bias;
    float *x, *dy;        /* (height + side - 1, width + side - 1, in or out): one image, zeros around it */
    float *w, *dw;        /* (side, side, in, out) */
    float *turned;        /* (side, side, out, in): the window upside down, for the way back */
    float *b, *db;        /* (out) */
};

static void close_conv(struct unit *u)
{
    struct conv *c = u->self;
    if (c == NULL)
        return;
    free(c->db);
    free(c->b);
    free(c->turned);
    free(c->dw);
    free(c->w);
    free(c->dy);
    free(c->x);
    free(c);
}

static int open_conv(struct unit *u, struct err *e)
{
    struct conv *c = u->self = mem_new(1, sizeof *c, e);
    if (c == NULL)
        return -1;
    c->add = tiles_choose(NULL);
    c->height = (size_t)u->stage.in.height;
    c->width = (size_t)u->stage.in.width;
    c->side = u->stage.layer.side;
    c->before = (c->side - 1) / 2;
    c->in = u->in_step;
    c->out = u->out_step;
    c->channels = (size_t)u->stage.in.channels;
    c->outputs = u->stage.layer.outputs;
    c->bias = u->stage.biases > 0;
    size_t pixels = (c->height + c->side - 1) * (c->width + c->side - 1);
    size_t weights = c->side * c->side * c->in * c->out;
    struct { float **room; size_t n; } rooms[] = {
        { &c->x, pixels * c->in }, { &c->dy, u->back ? pixels * c->out : 0 }, { &c->w, weights },
        { &c->dw, weights }, { &c->turned, u->back ? weights : 0 }, { &c->b, c->out }, { &c->db, c->out },
    };
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        if ((*rooms[i].room = mem_new(rooms[i].n, sizeof(float), e)) == NULL)
            return -1;
    return 0;
}

/* An image into the middle of zeros; `above` rows of them stand over it, and columns left of it. */
static void surround(const struct conv *c, float *room, const float *image, size_t step, size_t above)
{
    size_t line = (c->width + c->side - 1) * step;
    float *to = room + above * line + above * step;
    for (size_t y = 0; y < c->height; y++)
        memcpy(to + y * line, image + y * c->width * step, c->width * step * sizeof *to);
}

/* Weight k of the window, of channel i and output o: its place in w, and in turned. */
static size_t place(const struct conv *c, size_t k, size_t i, size_t o)
{
    return (k * c->in + i) * c->out + o;
}

static size_t turned_place(const struct conv *c, size_t k, size_t i, size_t o)
{
    return ((c->side * c->side - 1 - k) * c->out + o) * c->in + i;
}

/* From (outputs, channels, side, side), then biases. */
static void pack(struct conv *c, const float *w, bool back)
{
    size_t window = c->side * c->side;
    for (size_t o = 0; o < c->outputs; o++)
        for (size_t i = 0; i < c->channels; i++)
            for (size_t k = 0; k < window; k++, w++) {
                c->w[place(c, k, i, o)] = *w;
                if (back)
                    c->turned[turned_place(c, k, i, o)] = *w;
            }
    if (c->bias)
        memcpy(c->b, w, c->outputs * sizeof *w);
}

static void unpack(struct conv *c, float *sum)
{
    size_t window = c->side * c->side;
    for (size_t o = 0; o < c->outputs; o++)
        for (size_t i = 0; i < c->channels; i++)
            for (size_t k = 0; k < window; k++)
                *sum++ += c->dw[place(c, k, i, o)];
    for (size_t o = 0; c->bias && o < c->outputs; o++)
        sum[o] += c->db[o];
}

/* y (height, width, to) += the windows of a surrounded image times weights: rows of the image one by one. */
static void convolve(const struct conv *c, const float *x, size_t from, const float *w, size_t to, float *y)
{
    size_t line = (c->width + c->side - 1) * from;
    struct tiles t = { .rows = c->width,
                       .columns = to,
                       .outer = c->side,
                       .inner = c->side * from,
                       .ai = from,
                       .au = line,
                       .ak = 1,
                       .b = w,
                       .bu = c->side * from * to,
                       .bk = to,
                       .ci = to };
    for (size_t row = 0; row < c->height; row++) {
        t.a = x + row * line;
        t.c = y + row * c->width * to;
        c->add(&t);
    }
}

static void forward(struct unit *u, const float *w, const struct rows *x, float *y)
{
    struct conv *c = u->self;
    size_t pixels = c->height * c->width;
    pack(c, w, u->back);
    for (size_t r = 0; r < x->n; r++, y += u->out) {
        surround(c, c->x, x->x + r * u->in, c->in, c->before);
        for (size_t p = 0; p < pixels; p++)
            memcpy(y + p * c->out, c->b, c->out * sizeof *y);
        convolve(c, c->x, c->in, c->w, c->out, y);
    }
}

/* dw += for each place in a row of the window the product of all pixels there with dy. */
static void add_weights(const struct conv *c, const float *dy)
{
    size_t line = (c->width + c->side - 1) * c->in, run = c->side * c->in;
    struct tiles t = { .rows = run,
                       .columns = c->out,
                       .outer = c->height,
                       .inner = c->width,
                       .ai = 1,
                       .au = line,
                       .ak = c->in,
                       .b = dy,
                       .bu = c->width * c->out,
                       .bk = c->out,
                       .ci = c->out };
    for (size_t row = 0; row < c->side; row++) {
        t.a = c->x + row * line;
        t.c = c->dw + row * run * c->out;
        c->add(&t);
    }
}

static void add_biases(const struct conv *c, const float *dy)
{
    for (size_t p = 0; p < c->height * c->width; p++)
        for (size_t o = 0; o < c->out; o++)
            c->db[o] += dy[p * c->out + o];
}

static void backward(struct unit *u, const float *w, const struct rows *x, const float *dy, float *dx,
                     float *sum)
{
    struct conv *c = u->self;
    (void)w;
    memset(c->dw, 0, c->side * c->side * c->in * c->out * sizeof *c->dw);
    memset(c->db, 0, c->out * sizeof *c->db);
    if (u->back)
        memset(dx, 0, x->n * u->in * sizeof *dx);
    for (size_t r = 0; r < x->n; r++, dy += u->out) {
        surround(c, c->x, x->x + r * u->in, c->in, c->before);
        add_weights(c, dy);
        add_biases(c, dy);
        if (!u->back)
            continue;
        surround(c, c->dy, dy, c->out, c->side - 1 - c->before);
        convolve(c, c->dy, c->out, c->turned, c->in, dx + r * u->in);
    }
    unpack(c, sum);
}

const struct unit_ops unit_conv = { open_conv, close_conv, forward, backward };
