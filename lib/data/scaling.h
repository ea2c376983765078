/* Features brought to a common size: found once on the rows that are trained on, kept beside them, done to
 * whatever is read for the same model later. */
#ifndef DATA_SCALING_H
#define DATA_SCALING_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "data/builder.h"
#include "data/dataset.h"
#include "data/encoding.h"

/* A row of scaling_table (data/dataset.h): a feature's value becomes (value - shift) * factor. Zeroed before use. */
struct scaling {
    const struct plug *method; /* NULL: rows stay as they were stored */
    size_t n;                  /* features; 0: the method has none of these */
    double *shift, *factor;    /* (n) */
};

/* What `method` makes of the rows row[0 .. n) of d, encoded by c where they are not yet (NULL: they are).
 * ERR_USAGE: it would make sparse rows dense. */
int scaling_find(struct scaling *s, const struct plug *method, const struct dataset *d, struct encoding *c,
                 const uint64_t *row, size_t n, struct err *e);

/* All rows of b; those of bytes become floats, but for `none`. Features beyond s->n stay. */
int scaling_apply(const struct scaling *s, struct builder *b, struct err *e);

/* As it stands in what travels with the rows, {method, shift, factor}; new. And back: json may be NULL.
 * ERR_DATA. */
json_t *scaling_json(const struct scaling *s);
int scaling_parse(struct scaling *s, const json_t *json, struct err *e);

void scaling_free(struct scaling *s);

#endif
