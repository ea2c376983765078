/* The labels of rows while they are read: texts become classes at the end. */
#include "data/labels.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { SLOTS_MIN = 64, SHOWN = 40 /* bytes of a bad label that a message shows */ };

static uint32_t hash(const char *text, size_t n)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h;
}

static bool same(const struct spelling *s, const char *text, size_t n)
{
    return s->n == n && memcmp(s->text, text, n) == 0;
}

/* The slot that holds text, or the empty one where it belongs. */
static uint32_t *slot(const struct labels *l, const char *text, size_t n)
{
    size_t i = hash(text, n) & (l->n_slots - 1);
    while (l->slots[i] != 0 && !same(&l->v[l->slots[i] - 1], text, n))
        i = (i + 1) & (l->n_slots - 1);
    return &l->slots[i];
}

static int grow_slots(struct labels *l, struct err *e)
{
    size_t want = l->n_slots ? 2 * l->n_slots : SLOTS_MIN;
    uint32_t *fresh = mem_new(want, sizeof *fresh, e);
    if (fresh == NULL)
        return -1;
    free(l->slots);
    l->slots = fresh;
    l->n_slots = want;
    for (size_t i = 0; i < l->n; i++)
        *slot(l, l->v[i].text, l->v[i].n) = (uint32_t)(i + 1);
    return 0;
}

static bool is_text(const char *text, size_t n)
{
    json_t *utf8 = json_stringn(text, n);
    json_decref(utf8);
    return utf8 != NULL;
}

/* Looks like a number, as people write them somewhere, but is none: taking it for a word would hide
 * it. */
static bool numberlike(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strchr("0123456789.,+-eE", text[i]) == NULL || text[i] == '\0')
            return false;
    return text[0] != 'e' && text[0] != 'E';
}

/* Whether a text can be a label, and its value when it is a number; NAN when it is a word. */
static int judge(const char *text, size_t n, double *value, struct err *e)
{
    int shown = n < SHOWN ? (int)n : SHOWN;
    *value = NAN;
    if (n == 0)
        return err_set(e, ERR_DATA, "the label is missing");
    if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        return err_set(e, ERR_DATA, "a byte order mark (ef bb bf) within the data");
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return err_set(e, ERR_DATA,
                           "label with byte %02x: labels are printable text on one line",
                           (unsigned char)text[i]);
    if (!is_text(text, n))
        return err_set(e, ERR_DATA, "the label is not UTF-8");
    if (num_double(text, text + n, value) == text + n) {
        if (!isfinite(*value))
            return err_set(e, ERR_DATA, "label '%.*s' is not finite", shown, text);
        return 0;
    }
    *value = NAN;
    if (numberlike(text, n))
        return err_set(e, ERR_DATA, "label '%.*s' is neither a number nor a word", shown, text);
    return 0;
}

static int spelling_make(struct spelling *s, const char *text, size_t n, struct place at,
                         uint64_t order, struct err *e)
{
    *s = (struct spelling){ .n = n, .order = order };
    if (judge(text, n, &s->value, e) < 0)
        return -1;
    s->text = mem_print(e, "%.*s", (int)n, text);
    s->where = mem_print(e, "%s%s%zu", at.file, at.unit, at.number);
    if (s->where != NULL && !is_text(s->where, strlen(s->where)))
        for (char *c = s->where; *c; c++)
            *c = (unsigned char)*c >= 0x80 ? '?' : *c;
    if (s->text != NULL && s->where != NULL)
        return 0;
    free(s->text);
    free(s->where);
    return -1;
}

/* More different numbers than there can be classes: rows keep their values. */
static int become_targets(struct labels *l, double *row, uint64_t n, struct err *e)
{
    if (l->words)
        return err_set(e, ERR_DATA, "more than %d different labels, and not all are numbers",
                       CLASSES_MAX);
    for (uint64_t i = 0; i < n; i++)
        row[i] = l->v[(size_t)row[i]].value;
    labels_free(l);
    l->targets = true;
    return 0;
}

static int put_target(const char *text, size_t n, double *to, struct err *e)
{
    if (judge(text, n, to, e) < 0)
        return -1;
    if (!isnan(*to))
        return 0;
    return err_set(e, ERR_DATA, "label '%.*s' is a word after more than %d different numbers",
                   n < SHOWN ? (int)n : SHOWN, text, CLASSES_MAX);
}

static int put_new(struct labels *l, const char *text, size_t n, struct place at, double *row,
                   uint64_t order, struct err *e)
{
    if (l->n == CLASSES_MAX) {
        if (become_targets(l, row, order, e) < 0)
            return -1;
        return put_target(text, n, &row[order], e);
    }
    if (2 * (l->n + 1) > l->n_slots && grow_slots(l, e) < 0)
        return -1;
    if (mem_grow(&l->v, &l->cap, l->n + 1, sizeof *l->v, e) < 0 ||
        spelling_make(&l->v[l->n], text, n, at, order, e) < 0)
        return -1;
    l->words |= isnan(l->v[l->n].value);
    l->last = l->n++;
    *slot(l, l->v[l->last].text, n) = (uint32_t)l->n;
    row[order] = (double)l->last;
    return 0;
}

int labels_put(struct labels *l, const char *text, size_t n, struct place at, double *row,
               uint64_t order, struct err *e)
{
    if (l->targets)
        return put_target(text, n, &row[order], e);
    if (l->n > 0 && !same(&l->v[l->last], text, n)) {
        uint32_t id = *slot(l, text, n);
        if (id == 0)
            return put_new(l, text, n, at, row, order, e);
        l->last = id - 1;
    }
    if (l->n == 0)
        return put_new(l, text, n, at, row, order, e);
    row[order] = (double)l->last;
    return 0;
}

/* Ascending, and of equal ones the first seen first: so each is added at the end. */
static int by_value(const void *a, const void *b)
{
    const struct spelling *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct spelling *)a)->text, ((const struct spelling *)b)->text);
}

int labels_finish(struct labels *l, double *row, size_t n, struct classes *c, struct err *e)
{
    c->targets = l->targets;
    c->named = l->words;
    if (l->targets || l->n == 0)
        return 0;
    /* what each spelling is from now on, while its place in v still says its number */
    double *becomes = mem_new(l->n, sizeof *becomes, e);
    struct spelling *sorted = mem_new(l->n, sizeof *sorted, e);
    int status = becomes && sorted ? 0 : -1;
    if (status == 0) {
        memcpy(sorted, l->v, l->n * sizeof *sorted);
        qsort(sorted, l->n, sizeof *sorted, l->words ? by_text : by_value);
    }
    for (size_t i = 0; i < l->n && status == 0; i++)
        status =
            classes_add(c, sorted[i].text, sorted[i].value, sorted[i].where, sorted[i].order, e);
    for (size_t i = 0; i < l->n && status == 0; i++)
        becomes[i] = l->words ? (double)classes_find_name(c, l->v[i].text) : l->v[i].value;
    for (size_t i = 0; i < n && status == 0; i++)
        row[i] = becomes[(size_t)row[i]];
    free(sorted);
    free(becomes);
    return status;
}

void labels_free(struct labels *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->v[i].text);
        free(l->v[i].where);
    }
    free(l->v);
    free(l->slots);
    memset(l, 0, sizeof *l);
}
