/* The columns of a table: their names, and how options name them. */
#ifndef DATA_HEADER_H
#define DATA_HEADER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "data/fields.h"

/* Zeroed before use, then `file` set; header_free at the end. */
struct header {
    const char *file; /* for messages; not owned */
    size_t line;      /* of the names, or of the first row */
    size_t n;         /* columns */
    char **names;     /* (n), or NULL: they have none */
};

/* Names from the record in hand. */
int header_take(struct header *h, struct fields *record, struct err *e);
void header_free(struct header *h);

/* How many of the names are numbers: where all are they are more likely a row of data. */
size_t header_numbers(const struct header *h);

/* Column of a name, from 0; -1: none; -2: more than one. */
long header_name(const struct header *h, const char *name);

/* Column by its name, else by its number, which counts from 1. -1: ERR_DATA with the place and what would have been
 * allowed. */
int header_find(const struct header *h, const char *text, size_t *column, struct err *e);

/* Sets flags[column] for names, numbers and ranges of numbers, with commas between. */
int header_list(const struct header *h, const char *list, bool *flags, struct err *e);

/* The name of a column, or its number where it has none that JSON can hold; and back: -1: there is none such. */
json_t *header_json(const struct header *h, size_t column);
long header_parse(const struct header *h, const json_t *column);

#endif
