/* Records of text with separators, as RFC 4180 has them. */
#include "data/fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool blank(const struct fields *f, char c)
{
    return c == ' ' || (c == '\t' && f->separator != '\t');
}

/* Whether a field ends here. */
static bool separates(const struct fields *f, char c)
{
    return f->separator == FIELDS_BLANKS ? blank(f, c) : c == f->separator;
}

static int blame_quote(const struct fields *f, size_t line, const char *what, struct err *e)
{
    err_set(e, ERR_DATA, "%s:%zu: %s", f->lines.source->name, line, what);
    return -1;
}

/* Moves *at behind the quote that closes the one before *at, over line ends if need be. */
static int close_quote(struct fields *f, size_t *at, struct field *field, struct err *e)
{
    size_t opened = f->lines.line + f->lines.more;
    field->begin = *at;
    for (;;) {
        char *quote = memchr(f->text + *at, '"', f->size - *at);
        if (quote == NULL) {
            *at = f->size;
            int more = lines_join(&f->lines, &f->text, &f->size, e);
            if (more <= 0)
                return more < 0 ? -1 : blame_quote(f, opened, "this quote is never closed", e);
            continue;
        }
        field->end = (size_t)(quote - f->text);
        *at = field->end + 1;
        if (*at == f->size || f->text[*at] != '"')
            break;
        field->doubled = true;
        ++*at;
    }
    while (*at < f->size && blank(f, f->text[*at]) && !separates(f, f->text[*at]))
        ++*at;
    if (*at < f->size && !separates(f, f->text[*at]))
        return blame_quote(f, opened, "text behind the end of a quoted field", e);
    return 0;
}

static void plain_field(const struct fields *f, size_t *at, struct field *field)
{
    field->begin = *at;
    while (*at < f->size && !separates(f, f->text[*at]))
        ++*at;
    field->end = *at;
    while (field->end > field->begin && blank(f, f->text[field->end - 1]))
        field->end--;
}

/* Whether nothing but blanks follow, and these separate. */
static bool ends_in_blanks(const struct fields *f, size_t at)
{
    while (f->separator == FIELDS_BLANKS && at < f->size && blank(f, f->text[at]))
        at++;
    return at == f->size;
}

int fields_cut(struct fields *f, struct err *e)
{
    f->n = 0;
    for (size_t at = 0;; at++) {
        if (mem_grow(&f->v, &f->cap, f->n + 1, sizeof *f->v, e) < 0)
            return -1;
        struct field *field = &f->v[f->n++];
        *field = (struct field){ 0 };
        while (at < f->size && blank(f, f->text[at]))
            at++;
        if (at == f->size || f->text[at] != '"') {
            plain_field(f, &at, field);
        } else {
            at++;
            if (close_quote(f, &at, field, e) < 0)
                return -1;
        }
        if (at >= f->size || ends_in_blanks(f, at))
            return 0;
    }
}

bool fields_empty(const struct fields *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->v[i].begin < f->v[i].end)
            return false;
    return true;
}

char *fields_text(struct fields *f, size_t i, size_t *n)
{
    struct field *field = &f->v[i];
    char *text = f->text + field->begin;
    *n = field->end - field->begin;
    if (!field->doubled)
        return text;
    size_t kept = 0;
    for (size_t at = 0; at < *n; at++) {
        text[kept++] = text[at];
        at += text[at] == '"';
    }
    field->end = field->begin + kept;
    field->doubled = false;
    *n = kept;
    return text;
}

int fields_line(struct fields *f, struct err *e)
{
    for (;;) {
        int more = lines_next(&f->lines, &f->text, &f->size, e);
        if (more <= 0)
            return more;
        size_t i = 0;
        while (i < f->size && blank(f, f->text[i]))
            i++;
        if (i < f->size)
            return 1;
    }
}

int fields_next(struct fields *f, struct err *e)
{
    int more = fields_line(f, e);
    return more > 0 && fields_cut(f, e) < 0 ? -1 : more;
}

void fields_free(struct fields *f)
{
    free(f->v);
    lines_free(&f->lines);
    *f = (struct fields){ 0 };
}
