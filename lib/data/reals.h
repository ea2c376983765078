/* Arrays of real numbers in JSON. */
#ifndef DATA_REALS_H
#define DATA_REALS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A new array of finite numbers. */
json_t *reals_json(const double *v, size_t n);

/* Back: false when the array lacks some, or holds anything else. */
bool reals_take(double *v, size_t n, const json_t *list);

#endif
