/* Rows without the features that a model does not have. */
#ifndef DATA_CLIP_H
#define DATA_CLIP_H

#include <stddef.h>

#include "base/err.h"
#include "base/log.h"
#include "base/rows.h"
#include "data/builder.h"

/* Copies the features below `limit` of `from`, which has more, into the empty builder; notes in
 * to->beyond what was left out first. They are the rows from number `first` on of the file. */
int clip_rows(struct builder *to, const struct rows *from, size_t limit, const char *file, size_t first,
              struct err *e);

/* A notice of that place (NULL: nothing was left out) and the number of such rows. */
void clip_warn(const char *place, size_t rows, size_t limit, const struct log *log);

#endif
