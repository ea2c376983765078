/* The way through all rows of a data set, in blocks. */
#include "run/evaluate/walk.h"

/* Rows from..from + n of a part, without copying. */
static struct rows view(const struct rows *part, size_t from, size_t n)
{
    struct rows v = *part;
    v.n = n;
    v.labels += from;
    if (part->kind == ROWS_DENSE)
        v.x += from * part->features;
    if (part->kind == ROWS_BYTES)
        v.bytes += from * part->features;
    if (part->kind == ROWS_SPARSE)
        v.indptr += from;
    return v;
}

void walk_rows(const struct dataset *d, const double *y, size_t chunk, walk_sink *sink, void *self)
{
    size_t first = 0;
    for (size_t i = 0; i < d->n_parts; i++)
        for (size_t at = 0, n; at < d->parts[i].n; at += n, first += n) {
            size_t left = d->parts[i].n - at;
            n = left < chunk ? left : chunk;
            struct rows block = view(&d->parts[i], at, n);
            if (y != NULL)
                block.labels = y + first;
            sink(self, &block, first);
        }
}
