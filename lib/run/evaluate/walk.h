/* The way through all rows of a data set, in blocks. */
#ifndef RUN_WALK_H
#define RUN_WALK_H

#include <stddef.h>

#include "base/rows.h"
#include "data/dataset.h"

/* Told of a block of rows: those from row `first` of the data on. */
typedef void walk_sink(void *self, const struct rows *block, size_t first);

/* In the order of the data, blocks of 1 to `chunk` rows; none goes over the end of a part. y (rows): their labels,
 * or NULL for the data's own. */
void walk_rows(const struct dataset *d, const double *y, size_t chunk, walk_sink *sink, void *self);

#endif
