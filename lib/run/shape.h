/* What the data of all workers make of the model: how many features, which classes. */
#ifndef RUN_SHAPE_H
#define RUN_SHAPE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/classes.h"
#include "base/err.h"
#include "base/log.h"
#include "base/plug.h"
#include "learn/model.h"

/* Zeroed before use; shape_free at the end. */
struct shape {
    struct dims dims;
    struct classes classes;
    json_t *data; /* how the data were read, for the model */
    struct layout layout;
};

/* One more worker has these features and classes. ERR_DATA: its labels do not go with the others'. */
int shape_add(struct shape *s, const struct spec *model, uint64_t features, const struct classes *c,
              struct err *e);
/* That was the last: the layout follows. data: what one of them says of its data, or NULL. ERR_DATA: the
 * labels do not suit the model. */
int shape_close(struct shape *s, const struct spec *model, bool bias, const json_t *data,
                const struct log *log, struct err *e);
/* The first column, counted from 1, that both data know by name and by another one: the names go to *a and *b.
 * 0: there is none among the columns that both have. */
size_t shape_other_column(const json_t *data, const json_t *other, const char **a, const char **b);
/* What of the data's reading must be the same for all, or columns would mean different things. ERR_DATA. */
int shape_same_reading(const json_t *data, const char *whose, const json_t *other,
                       const char *others, struct err *e);
/* Of that, the scaling. */
int shape_same_scaling(const json_t *data, const char *whose, const json_t *other, const char *others,
                       struct err *e);
/* Images of another shape than the model learned from: ERR_DATA. */
int shape_same_image(const json_t *data, const char *whose, const json_t *other, const char *others, struct err *e);
/* Bytes of images count 1/255 each, the same numbers in other formats 1: a word where one is to stand for the other. */
void shape_tell_bytes(const json_t *data, const char *whose, const json_t *other, const char *others,
                      const struct log *log);
void shape_free(struct shape *s);

#endif
