/* The JSON header of a safetensors record: what it says is checked here, before it is believed. */
#ifndef BASE_RECORD_HEADER_H
#define BASE_RECORD_HEADER_H

#include <stddef.h>

#include "base/err.h"
#include "base/record.h"

/* Fills meta, tensors and n of r from the JSON text. data of each tensor is its offset from the
 * first byte of data, as a pointer, to be moved by the caller; *bytes is the length of all data.
 * On failure r is to be freed. */
int record_parse(struct record *r, const char *text, size_t n, size_t *bytes, struct err *e);

/* Shape times element size, of a tensor that record_parse accepted. */
size_t tensor_bytes(const struct tensor *t);

#endif
