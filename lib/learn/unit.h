/* What a network is made of at work: units that hand a block of rows on to the next, and derivatives back.
 *
 * Images go from unit to unit as (rows, height, width, step), step the channels rounded up to whole vectors,
 * whose surplus is 0; only those that just came from the data have as many floats a pixel as channels. */
#ifndef LEARN_UNIT_H
#define LEARN_UNIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/rows.h"
#include "learn/net.h"

struct unit {
    const struct unit_ops *ops;
    struct stage stage;        /* the layer; of pixels and flat only in and out */
    size_t in_step, out_step;  /* floats a pixel */
    size_t in, out;            /* floats a row */
    bool relu;                 /* negative values become 0 on the way out */
    bool back;                 /* derivatives by its input are asked for */
    void *self;                /* what it works with */
    float *y;                  /* (chunk, out): what came out last; NULL: the caller has it */
};

struct unit_ops {
    int (*open)(struct unit *u, struct err *e);
    void (*close)(struct unit *u);
    /* y (n, out) of x (n, in); x is any kind of rows for the first unit, dense for the others. */
    void (*forward)(struct unit *u, const float *w, const struct rows *x, float *y);
    /* From dy (n, out): sum += the gradient of its own parameters, and when `back`, dx (n, in). w and sum
     * start with the unit's own parameters. NULL: nothing before it has any. */
    void (*backward)(struct unit *u, const float *w, const struct rows *x, const float *dy, float *dx,
                     float *sum);
};
extern const struct unit_ops unit_dense; /* linear.h behind a unit */
extern const struct unit_ops unit_pixels; /* rows of any kind to images; a row has plane behind plane */
extern const struct unit_ops unit_conv, unit_pool;
extern const struct unit_ops unit_flat; /* images to rows again */

#endif
