/* Which of many numbers were met: a bit for each, and one for every 64 of those, so that they come out in ascending
 * order without a look at all. */
#ifndef BASE_MARKS_H
#define BASE_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Zeroed before use. */
struct marks {
    uint64_t *bits;  /* a bit a number */
    uint64_t *words; /* a bit for each of bits that is not 0 */
    size_t n_words;
};

/* For numbers below `size`, none of them marked. -1: ERR_SYSTEM; marks_close is due all the same. */
int marks_open(struct marks *m, size_t size, struct err *e);
void marks_close(struct marks *m);

/* Marks a number; whether it was not before. */
static inline bool marks_set(struct marks *m, size_t i)
{
    const uint64_t bit = UINT64_C(1) << i % 64;
    const bool fresh = (m->bits[i / 64] & bit) == 0;
    m->bits[i / 64] |= bit;
    m->words[i / 4096] |= UINT64_C(1) << i / 64 % 64;
    return fresh;
}

/* Writes the marked numbers to `to`, ascending, and takes their marks away; returns how many. */
size_t marks_take(struct marks *m, uint32_t *to);

#endif
