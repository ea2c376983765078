/* The columns of a table. */
#include "data/header.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { SHOWN = 40 /* bytes of a name that a message shows */ };

int header_take(struct header *h, struct fields *record, struct err *e)
{
    h->n = record->n;
    h->names = mem_new(h->n, sizeof *h->names, e);
    for (size_t i = 0; h->names != NULL && i < h->n; i++) {
        size_t n;
        char *text = fields_text(record, i, &n);
        h->names[i] = mem_print(e, "%.*s", (int)n, text);
        if (h->names[i] == NULL)
            return -1;
    }
    return h->names == NULL ? -1 : 0;
}

void header_free(struct header *h)
{
    for (size_t i = 0; h->names != NULL && i < h->n; i++)
        free(h->names[i]);
    free(h->names);
    *h = (struct header){ 0 };
}

size_t header_numbers(const struct header *h)
{
    size_t numbers = 0;
    for (size_t i = 0; i < h->n; i++) {
        const char *end = h->names[i] + strlen(h->names[i]);
        float v;
        numbers += num_float(h->names[i], end, &v) == end;
    }
    return numbers;
}

long header_name(const struct header *h, const char *name)
{
    long found = -1;
    for (size_t i = 0; h->names != NULL && i < h->n; i++)
        if (strcmp(h->names[i], name) == 0)
            found = found == -1 ? (long)i : -2;
    return found;
}

/* "the columns are a, b, c": what would have been allowed. */
static int no_column(const struct header *h, const char *text, struct err *e)
{
    char known[400] = "";
    size_t at = 0;
    for (size_t i = 0; h->names != NULL && i < h->n && at < sizeof known - SHOWN - 8; i++)
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%.*s", i > 0 ? ", " : ": ", SHOWN, h->names[i]);
    err_set(e, ERR_DATA, "no column '%s' among the %zu%s", text, h->n, known);
    return err_ctx(e, "%s:%zu", h->file, h->line);
}

/* A number that a column can have, less 1. */
static int take_number(const struct header *h, const char *text, size_t *column, struct err *e)
{
    struct err ignored = { 0 };
    uint64_t number;
    if (num_whole(text, &number, &ignored) < 0)
        return no_column(h, text, e);
    if (number < 1 || number > h->n)
        return err_set(e, ERR_DATA, "%s:%zu: no column %llu: they count from 1 to %zu", h->file, h->line,
                       (unsigned long long)number, h->n);
    *column = (size_t)number - 1;
    return 0;
}

int header_find(const struct header *h, const char *text, size_t *column, struct err *e)
{
    long named = header_name(h, text);
    if (named == -2)
        return err_set(e, ERR_DATA, "%s:%zu: more than one column '%s'", h->file, h->line, text);
    if (named < 0)
        return take_number(h, text, column, e);
    *column = (size_t)named;
    return 0;
}

/* A name, a number, or a range of numbers. */
static int flag_item(const struct header *h, char *item, bool *flags, struct err *e)
{
    size_t first = 0, last = 0;
    char *dash = strchr(item, '-');
    bool range = dash != NULL && header_name(h, item) == -1 && item < dash &&
                 strspn(item, "0123456789") == (size_t)(dash - item) &&
                 strspn(dash + 1, "0123456789") == strlen(dash + 1) && dash[1] != '\0';
    if (!range) {
        if (header_find(h, item, &first, e) < 0)
            return -1;
        flags[first] = true;
        return 0;
    }
    *dash = '\0';
    int status = take_number(h, item, &first, e) < 0 ? -1 : take_number(h, dash + 1, &last, e);
    *dash = '-';
    if (status == 0 && first > last)
        return err_set(e, ERR_USAGE, "'%s': the range ends before it begins", item);
    for (size_t i = first; status == 0 && i <= last; i++)
        flags[i] = true;
    return status;
}

int header_list(const struct header *h, const char *list, bool *flags, struct err *e)
{
    char *items = mem_text(list, e), *next = items;
    int status = items == NULL ? -1 : 0;
    while (status == 0 && next != NULL) {
        char *item = next;
        next = strchr(item, ',');
        if (next != NULL)
            *next++ = '\0';
        status = flag_item(h, item, flags, e);
    }
    free(items);
    return status;
}

json_t *header_json(const struct header *h, size_t column)
{
    json_t *name = h->names ? json_string(h->names[column]) : NULL;
    return name ? name : json_integer((json_int_t)column + 1);
}

long header_parse(const struct header *h, const json_t *column)
{
    json_int_t number = json_integer_value(column);
    if (json_is_string(column))
        return header_name(h, json_string_value(column));
    return number >= 1 && (size_t)number <= h->n ? (long)number - 1 : -1;
}
