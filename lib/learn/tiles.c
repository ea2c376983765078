/* Products of small matrices whose rows may overlap. */
#include "learn/tiles.h"

#include <string.h>

/* A vector; loads and stores need no alignment. */
typedef float lanes __attribute__((vector_size(TILE_LANES * sizeof(float))));

enum { TALL = 6, FLAT = 10 }; /* rows of a tile two vectors wide, and of one a vector wide */

#define INLINE static inline __attribute__((always_inline))

INLINE void load(lanes *v, const float *p)
{
    memcpy(v, p, sizeof *v);
}

INLINE void store(float *p, const lanes *v)
{
    memcpy(p, v, sizeof *v);
}

/* One tile of `rows` rows and `wide` vectors, from column o and row i. Both are constants where this is
 * called: the sums are registers then. */
INLINE void tile(const struct tiles *t, size_t i, size_t o, const size_t rows, const size_t wide)
{
    lanes sum[FLAT][2];
    float *c = t->c + i * t->ci + o;
#pragma GCC unroll 10
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (size_t v = 0; v < wide; v++)
            load(&sum[r][v], c + r * t->ci + v * TILE_LANES);
    for (size_t u = 0; u < t->outer; u++) {
        const float *a = t->a + i * t->ai + u * t->au, *b = t->b + u * t->bu + o;
        for (size_t k = 0; k < t->inner; k++, a += t->ak, b += t->bk) {
            lanes left, right;
            load(&left, b);
            if (wide > 1)
                load(&right, b + TILE_LANES);
#pragma GCC unroll 10
            for (size_t r = 0; r < rows; r++) {
                sum[r][0] += a[r * t->ai] * left;
                if (wide > 1)
                    sum[r][1] += a[r * t->ai] * right;
            }
        }
    }
#pragma GCC unroll 10
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (size_t v = 0; v < wide; v++)
            store(c + r * t->ci + v * TILE_LANES, &sum[r][v]);
}

/* As many rows as are left of those that one tile can have, evenly: 14 rows are 5, 5 and 4. */
INLINE size_t share(size_t left, size_t most)
{
    size_t tiles = (left + most - 1) / most;
    return (left + tiles - 1) / tiles;
}

INLINE void wide_tiles(const struct tiles *t, size_t o)
{
    for (size_t i = 0, n; i < t->rows; i += n)
        switch (n = share(t->rows - i, TALL)) {
        case 6: tile(t, i, o, 6, 2); break;
        case 5: tile(t, i, o, 5, 2); break;
        case 4: tile(t, i, o, 4, 2); break;
        case 3: tile(t, i, o, 3, 2); break;
        case 2: tile(t, i, o, 2, 2); break;
        default: tile(t, i, o, 1, 2); break;
        }
}

INLINE void narrow_tiles(const struct tiles *t, size_t o)
{
    for (size_t i = 0, n; i < t->rows; i += n)
        switch (n = share(t->rows - i, FLAT)) {
        case 10: tile(t, i, o, 10, 1); break;
        case 9: tile(t, i, o, 9, 1); break;
        case 8: tile(t, i, o, 8, 1); break;
        case 7: tile(t, i, o, 7, 1); break;
        case 6: tile(t, i, o, 6, 1); break;
        case 5: tile(t, i, o, 5, 1); break;
        case 4: tile(t, i, o, 4, 1); break;
        case 3: tile(t, i, o, 3, 1); break;
        case 2: tile(t, i, o, 2, 1); break;
        default: tile(t, i, o, 1, 1); break;
        }
}

INLINE void all_tiles(const struct tiles *t)
{
    size_t o = 0;
    for (; o + 2 * TILE_LANES <= t->columns; o += 2 * TILE_LANES)
        wide_tiles(t, o);
    for (; o < t->columns; o += TILE_LANES)
        narrow_tiles(t, o);
}

static void portable(const struct tiles *t)
{
    all_tiles(t);
}

#if defined __x86_64__ && defined __GNUC__
__attribute__((target("avx2,fma"))) static void v3(const struct tiles *t)
{
    all_tiles(t);
}

static int has_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
#define v3 portable
static int has_v3(void)
{
    return 0;
}
#endif

tiles_add *tiles_choose(const char **name)
{
    int fast = has_v3();
    if (name != NULL)
        *name = fast ? "x86-64-v3" : "portable";
    return fast ? v3 : portable;
}
