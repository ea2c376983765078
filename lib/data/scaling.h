/* Features brought to a common size: found once on the rows that are trained on, kept beside them, done to
 * whatever is read for the same model later. */
#ifndef DATA_SCALING_H
#define DATA_SCALING_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "data/builder.h"

/* A row of scaling_table (data/dataset.h): a feature's value becomes (value - shift) * factor. Zeroed before use. */
struct scaling {
    const struct plug *method; /* NULL: rows stay as they were stored */
    size_t n;                  /* features; 0: the method has none of these */
    double *shift, *factor;    /* (n) */
    struct moments *moments;   /* (n) of the rows that were met; NULL once it is settled */
};

/* What `method` makes of rows of that kind, all of which are met one after the other before it is settled. name: of the
 * data, for messages. ERR_USAGE: it would make sparse rows dense. */
int scaling_begin(struct scaling *s, const struct plug *method, enum rows_kind kind, size_t features,
                  const char *name, struct err *e);
void scaling_meet(struct scaling *s, const struct rows *r, size_t i);
void scaling_settle(struct scaling *s);

/* All rows of b; those of bytes become floats, but for `none`. Features beyond s->n stay. */
int scaling_apply(const struct scaling *s, struct builder *b, struct err *e);

/* As it stands in what travels with the rows, {method, shift, factor}; new. And back: json may be NULL.
 * ERR_DATA. */
json_t *scaling_json(const struct scaling *s);
int scaling_parse(struct scaling *s, const json_t *json, struct err *e);

void scaling_free(struct scaling *s);

#endif
