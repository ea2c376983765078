/* Rows without the features that a model does not have. */
#ifndef DATA_CLIP_H
#define DATA_CLIP_H

#include <stddef.h>

#include "base/err.h"
#include "base/rows.h"
#include "data/builder.h"

/* Copies the features below `limit` of `from`, which has more, into the empty builder; notes in
 * to->beyond what was left out first. */
int clip_rows(struct builder *to, const struct rows *from, size_t limit, const char *file,
              struct err *e);

#endif
