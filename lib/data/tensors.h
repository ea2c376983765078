/* Other people's safetensors as data: one tensor is the rows, one their labels. */
#ifndef DATA_TENSORS_H
#define DATA_TENSORS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/record.h"
#include "data/builder.h"
#include "data/dataset.h"

/* Whether a record is none of ours: they say what they are. */
bool tensors_foreign(const struct record *r);

/* A reader for format_safetensors; takes the record over, also when it fails. -1: ERR_DATA, ERR_USAGE, with name. */
void *tensors_open(struct record *record, const char *name, struct builder *b, const struct input *in, struct err *e);

#endif
