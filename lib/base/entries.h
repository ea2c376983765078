/* Numbers of which most may be 0. */
#ifndef BASE_ENTRIES_H
#define BASE_ENTRIES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* value[k] stands at index[k], ascending, and 0 elsewhere. index NULL: all n of them stand in value. */
struct entries {
    const uint32_t *index;
    const float *value;
    size_t n;
};

/* Entries with an index, as all `size` numbers. */
static inline void entries_spread(const struct entries *e, float *to, size_t size)
{
    memset(to, 0, size * sizeof *to);
    for (size_t k = 0; k < e->n; k++)
        to[e->index[k]] = e->value[k];
}

#endif
