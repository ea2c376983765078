/* Rows of a table that are numbers as they stand, with a label: read in one go. What is not as simple as that, and all
 * that is wrong, is left to csv_cells.c. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/num_plain.h"
#include "data/csv.h"

enum { EXACT_DIGITS = 7 /* whole numbers of so many are floats */ };

bool csv_is_plain(const struct csv *f)
{
    const struct encoding *c = f->encoding;
    if (f->features == 0 || f->decimal_comma || f->record.separator == FIELDS_BLANKS || c->bits > 0 ||
        c->missing.n > 0 || f->builder->weighted || f->label == SIZE_MAX)
        return false;
    for (size_t i = 0; i < f->header.n; i++)
        if (f->feature[i] == CSV_WEIGHT || f->feature[i] == CSV_NAMELESS ||
            (f->feature[i] >= 0 && c->v[f->feature[i]].kind != COLUMN_NUMBER))
            return false;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The number at p, which is finite; NULL: there is none. */
static inline const char *number(const char *p, const char *end, char separator, float *v)
{
    const unsigned digit = (unsigned)(unsigned char)*p - '0';
    if (digit < 10 && p[1] == separator) {
        *v = (float)(int)digit;
        return p + 1;
    }
    unsigned n;
    const uint64_t whole = digits_few(p, &n);
    if (n - 1 < EXACT_DIGITS && p[n] == separator) {
        *v = (float)(int32_t)whole;
        return p + n;
    }
    const char *behind = num_plain(p, v);
    if (behind == NULL)
        behind = num_float(p, end, v);
    return behind != NULL && isfinite(*v) ? behind : NULL;
}

/* A cell that is no number, as it stands. NULL: it has quotes or blanks around it. */
static const char *skip(const char *p, const char *end, char separator)
{
    const char *behind = memchr(p, separator, (size_t)(end - p));
    if (behind == NULL)
        behind = end;
    return p < behind && (*p == '"' || is_blank(*p) || is_blank(behind[-1])) ? NULL : behind;
}

/* All cells; false: it is not as simple as that. */
static bool read_cells(const struct csv *f, float *to, struct cell *label)
{
    const char separator = f->record.separator, *p = f->record.text, *end = p + f->record.size;
    const size_t n = f->header.n;
    for (size_t i = 0; i < n; i++) {
        const long j = f->feature[i];
        const char *begin = p;
        p = j >= 0 ? number(p, end, separator, &to[j]) : skip(p, end, separator);
        if (p == NULL || (i + 1 < n) != (p < end) || (p < end && *p != separator))
            return false;
        if (j == CSV_LABEL)
            *label = (struct cell){ .text = f->record.text + (begin - f->record.text), .n = (size_t)(p - begin) };
        p++;
    }
    return true;
}

int csv_put_plain(struct csv *f, struct err *e)
{
    struct builder *b = f->builder;
    struct cell label;
    if (builder_room(b, 1, e) < 0)
        return -1;
    if (b->weighted || !read_cells(f, b->x + b->n * b->features, &label))
        return 0;
    f->rows++;
    return csv_end_row(f, &label, e) < 0 ? -1 : 1;
}
