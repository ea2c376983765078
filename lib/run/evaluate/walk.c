/* The way through all rows of a data set, in blocks. */
#include "run/evaluate/walk.h"

void walk_rows(const struct dataset *d, const double *y, size_t chunk, walk_sink *sink, void *self)
{
    size_t first = 0;
    for (size_t i = 0; i < d->n_parts; i++)
        for (size_t at = 0, n; at < d->parts[i].n; at += n, first += n) {
            size_t left = d->parts[i].n - at;
            n = left < chunk ? left : chunk;
            struct rows block = rows_cut(&d->parts[i], at, n);
            if (y != NULL)
                block.labels = y + first;
            sink(self, &block, first);
        }
}
