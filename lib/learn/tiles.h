/* Products of small matrices whose rows may overlap, as the windows of a convolution do: no copy of an image
 * a window (im2col) is made. Sums are kept in registers, a tile at a time. */
#ifndef LEARN_TILES_H
#define LEARN_TILES_H

#include <stddef.h>

enum { TILE_LANES = 8 }; /* floats of a vector: `columns` is a multiple */

/* c(i, o) += sum over u < outer, k < inner of a[i ai + u au + k ak] * b[u bu + k bk + o]. */
struct tiles {
    size_t rows, columns; /* i < rows, o < columns */
    size_t outer, inner;
    const float *a;
    size_t ai, au, ak;
    const float *b;
    size_t bu, bk;
    float *c;
    size_t ci; /* c(i, o) is c[i ci + o] */
};

typedef void tiles_add(const struct tiles *t);

/* The fastest for this processor; *name, unless NULL, becomes its name. Those of other names round in
 * other ways. */
tiles_add *tiles_choose(const char **name);

#endif
