/* Entries on the wire: their n indices, ascending, then their n values. */
#include "run/packed.h"

int packed_read(struct entries *g, const unsigned char *bytes, size_t n, size_t size, struct err *e)
{
    const uint32_t *index = (const uint32_t *)(const void *)bytes;
    *g = (struct entries){ index, NULL, n / PACKED_ENTRY };
    g->value = (const float *)(const void *)(index + g->n);
    if (n % PACKED_ENTRY != 0)
        return err_set(e, ERR_PEER, "%zu bytes are no entries of %d each", n, PACKED_ENTRY);
    for (size_t k = 0; k < g->n; k++)
        if (index[k] >= size || (k > 0 && index[k] <= index[k - 1]))
            return err_set(e, ERR_PEER, "entry %zu has number %lu behind %ld of %zu parameters", k,
                           (unsigned long)index[k], k > 0 ? (long)index[k - 1] : -1L, size);
    return 0;
}
