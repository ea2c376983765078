/* Records of text with separators, as RFC 4180 has them: fields with quotes that may hold separators and
 * line ends. */
#ifndef DATA_FIELDS_H
#define DATA_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "data/lines.h"

/* text[begin .. end) of the record; the quotes and blanks around it are left off. */
struct field {
    size_t begin, end;
    bool doubled; /* it has quotes written twice */
};

#define FIELDS_BLANKS '\0' /* the separator where runs of blanks and tabs separate */

/* Zeroed before use, and then `lines.source` and `separator` set; fields_free at the end. */
struct fields {
    struct lines lines;
    char separator;
    char *text; /* the record in hand */
    size_t size;
    struct field *v;
    size_t n, cap;
};

/* The next record: 1; 0: there are no more; -1 and e with its place. Lines with nothing on them are no
 * records. */
int fields_next(struct fields *f, struct err *e);

/* The same in two steps: the line that the record begins with, in text and size; and its fields. */
int fields_line(struct fields *f, struct err *e);
int fields_cut(struct fields *f, struct err *e);

/* Whether no field of the record has any text. */
bool fields_empty(const struct fields *f);

/* The text of field i, quotes that were written twice made one; *n bytes. */
char *fields_text(struct fields *f, size_t i, size_t *n);

void fields_free(struct fields *f);

#endif
