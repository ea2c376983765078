/* NumPy's .npy, versions 1 to 3: a magic number, a version, the length of the header, and the header: a literal of
 * a Python dict, {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "data/array.h"

static const char magic[] = "\x93NUMPY";

enum {
    MAGIC = sizeof magic - 1,
    HEADER_MAX = 1 << 16, /* NumPy itself takes 10,000 bytes of others */
    SHOWN = 40,
};

static bool bid(const unsigned char *head, size_t n)
{
    return n >= MAGIC && memcmp(head, magic, MAGIC) == 0;
}

/* The header as it is taken apart. */
struct literal {
    const char *p; /* ends with a 0 byte */
    struct array *array;
};

static void skip_blanks(struct literal *l)
{
    while (isspace((unsigned char)*l->p))
        l->p++;
}

/* Takes the character that comes next but for blanks, if it is that one. */
static bool take(struct literal *l, char c)
{
    skip_blanks(l);
    if (*l->p != c)
        return false;
    l->p++;
    return true;
}

static int no_header(const struct literal *l, struct err *e)
{
    return err_set(e, ERR_DATA, "%s: the header of the npy file cannot be read at '%.*s'",
                   l->array->name, SHOWN, l->p);
}

/* A text in quotes: where it begins and how long it is. */
static bool take_text(struct literal *l, const char **text, size_t *n)
{
    skip_blanks(l);
    char quote = *l->p;
    if (quote != '\'' && quote != '"')
        return false;
    const char *end = strchr(l->p + 1, quote);
    if (end == NULL)
        return false;
    *text = l->p + 1;
    *n = (size_t)(end - *text);
    l->p = end + 1;
    return true;
}

/* '<f4': byte order, kind, size. */
static bool parse_element(const char *s, size_t n, struct element *t)
{
    static const char kinds[] = "buif";
    static const enum element_kind meaning[] = { ELEMENT_UNSIGNED, ELEMENT_UNSIGNED, ELEMENT_SIGNED,
                                                 ELEMENT_FLOAT };
    if (n != 3 || strchr("<>|=", s[0]) == NULL || s[1] == '\0' || !isdigit((unsigned char)s[2]))
        return false;
    const char *kind = strchr(kinds, s[1]);
    if (kind == NULL)
        return false;
    *t = (struct element){ meaning[kind - kinds], (unsigned)(s[2] - '0'), s[0] == '>' };
    return element_known(t) && !(s[1] == 'b' && t->size != 1);
}

static int take_descr(struct literal *l, struct err *e)
{
    const char *text;
    size_t n;
    skip_blanks(l);
    if (*l->p == '[')
        return err_set(e, ERR_DATA, "%s: the array has named fields; only plain numbers are read",
                       l->array->name);
    if (!take_text(l, &text, &n))
        return no_header(l, e);
    if (!parse_element(text, n, &l->array->element))
        return err_set(e, ERR_DATA,
                       "%s: numbers of kind \"%.*s\": bool, whole and real numbers up to 8 bytes are read",
                       l->array->name, n < SHOWN ? (int)n : SHOWN, text);
    return 0;
}

static int take_order(struct literal *l, struct err *e)
{
    static const char yes[] = "True", no[] = "False";
    skip_blanks(l);
    l->array->by_columns = strncmp(l->p, yes, sizeof yes - 1) == 0;
    if (!l->array->by_columns && strncmp(l->p, no, sizeof no - 1) != 0)
        return no_header(l, e);
    l->p += l->array->by_columns ? sizeof yes - 1 : sizeof no - 1;
    return 0;
}

/* Digits, up to 2^63. */
static bool take_size(struct literal *l, uint64_t *size)
{
    bool fits = true;
    skip_blanks(l);
    if (!isdigit((unsigned char)*l->p))
        return false;
    for (*size = 0; isdigit((unsigned char)*l->p); l->p++)
        fits = fits && !__builtin_mul_overflow(*size, 10, size) &&
               !__builtin_add_overflow(*size, (uint64_t)(*l->p - '0'), size);
    return fits && *size <= INT64_MAX;
}

static int take_shape(struct literal *l, struct err *e)
{
    struct array *a = l->array;
    if (!take(l, '('))
        return no_header(l, e);
    while (!take(l, ')')) {
        if (a->n_dims == ARRAY_DIMS || !take_size(l, &a->dims[a->n_dims]))
            return no_header(l, e);
        a->n_dims++;
        if (!take(l, ',') && *l->p != ')')
            return no_header(l, e);
    }
    if (a->n_dims == 0)
        return err_set(e, ERR_DATA, "%s: one number, not an array of rows", a->name);
    return 0;
}

static const struct {
    const char *key;
    int (*take)(struct literal *l, struct err *e);
} entries[] = {
    { "descr", take_descr },
    { "fortran_order", take_order },
    { "shape", take_shape },
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static int take_entry(struct literal *l, unsigned *seen, struct err *e)
{
    const char *key;
    size_t n;
    if (!take_text(l, &key, &n) || !take(l, ':'))
        return no_header(l, e);
    for (unsigned i = 0; i < ENTRIES; i++)
        if (strlen(entries[i].key) == n && memcmp(entries[i].key, key, n) == 0 && !(*seen & 1u << i)) {
            *seen |= 1u << i;
            return entries[i].take(l, e);
        }
    l->p = key;
    return no_header(l, e);
}

static int parse(struct literal *l, struct err *e)
{
    unsigned seen = 0;
    if (!take(l, '{'))
        return no_header(l, e);
    while (!take(l, '}')) {
        if (take_entry(l, &seen, e) < 0)
            return -1;
        if (!take(l, ',') && *l->p != '}')
            return no_header(l, e);
    }
    skip_blanks(l);
    if (*l->p != '\0' || seen != (1u << ENTRIES) - 1)
        return no_header(l, e);
    return 0;
}

/* Reads n bytes, or says that the header is cut. */
static int read_exactly(struct array *a, void *to, size_t n, struct err *e)
{
    size_t got;
    if (source_read(a->source, to, n, &got, e) < 0)
        return -1;
    return got == n ? 0 : err_set(e, ERR_DATA, "%s: ends within the header", a->name);
}

static int read_size(struct array *a, size_t *size, struct err *e)
{
    unsigned char head[MAGIC + 2], bytes[4] = { 0 };
    if (read_exactly(a, head, sizeof head, e) < 0)
        return -1;
    unsigned version = head[MAGIC];
    if (version < 1 || version > 3)
        return err_set(e, ERR_DATA, "%s: version %u of npy: 1 to 3 are read", a->name, version);
    if (read_exactly(a, bytes, version == 1 ? 2 : 4, e) < 0)
        return -1;
    *size = get_u32(bytes);
    if (*size > HEADER_MAX)
        return err_set(e, ERR_DATA, "%s: a header of %zu bytes: at most %d are read", a->name, *size,
                       HEADER_MAX);
    return 0;
}

static int header(struct array *a, struct err *e)
{
    size_t size = 0;
    if (read_size(a, &size, e) < 0)
        return -1;
    char *text = mem_new(size + 1, 1, e);
    if (text == NULL)
        return -1;
    struct literal l = { text, a };
    int status = read_exactly(a, text, size, e);
    if (status == 0)
        status = parse(&l, e);
    free(text);
    return status;
}

const struct array_kind array_npy = { .name = "npy", .byte = 1, .bid = bid, .header = header };
