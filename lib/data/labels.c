/* The labels of rows while they are read: texts become classes at the end. */
#include "data/labels.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { SHOWN = 40 /* bytes of a bad label that a message shows */ };

/* Whether a text is a whole number of which the nearest double is another: two of these could become one. */
static bool is_rounded(const char *text, size_t n, double value)
{
    char exact[400]; /* a double has 309 digits at most */
    size_t i = n > 0 && (text[0] == '-' || text[0] == '+');
    while (i + 1 < n && text[i] == '0' && isdigit((unsigned char)text[i + 1]))
        i++;
    size_t digits = 0, zeros = 0;
    while (i + digits < n && isdigit((unsigned char)text[i + digits]))
        digits++;
    if (i + digits < n && text[i + digits] == '.')
        for (zeros = 1; i + digits + zeros < n && text[i + digits + zeros] == '0';)
            zeros++;
    if (fabs(value) < 0x1p53 || digits == 0 || i + digits + zeros < n)
        return false;
    snprintf(exact, sizeof exact, "%.0f", fabs(value));
    return strlen(exact) != digits || memcmp(exact, text + i, digits) != 0;
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
    if (texts_fit(text, n, "label", e) < 0)
        return -1;
    if (num_double(text, text + n, value) == text + n) {
        if (!isfinite(*value))
            return err_set(e, ERR_DATA, "label '%.*s' is not finite", shown, text);
        if (is_rounded(text, n, *value))
            return err_set(e, ERR_DATA, "label '%.*s'" LABELS_ROUNDED, shown, text);
        return 0;
    }
    *value = NAN;
    if (texts_numberlike(text, n))
        return err_set(e, ERR_DATA, "label '%.*s' is neither a number nor a word", shown, text);
    return 0;
}

/* The next text with what is known of it; at and order say where it was seen. */
static int add_spelling(struct labels *l, const char *text, size_t n, struct place at, uint64_t order,
                        struct err *e)
{
    struct spelling s = { .order = order };
    if (judge(text, n, &s.value, e) < 0 ||
        mem_grow(&l->v, &l->cap, l->texts.n + 1, sizeof *l->v, e) < 0)
        return -1;
    s.where = mem_print(e, "%s%s%zu", at.file, at.unit, at.number);
    if (s.where == NULL)
        return -1;
    if (!texts_utf8(s.where, strlen(s.where)))
        for (char *c = s.where; *c; c++)
            *c = (unsigned char)*c >= 0x80 ? '?' : *c;
    long i = texts_add(&l->texts, text, n, e);
    if (i < 0) {
        free(s.where);
        return -1;
    }
    s.text = l->texts.v[i].text;
    l->v[i] = s;
    l->words |= isnan(s.value);
    return 0;
}

/* More different numbers than there can be classes: rows keep their values. */
static int become_targets(struct labels *l, double *row, uint64_t n, struct err *e)
{
    struct labels targets = { .targets = true, .gone = l->gone, .coded = l->gone, .n_value = l->texts.n };
    if (l->words)
        return err_set(e, ERR_DATA, "more than %d different labels, and not all are numbers",
                       CLASSES_MAX);
    targets.value = mem_new(l->texts.n, sizeof *targets.value, e);
    if (targets.value == NULL)
        return -1;
    for (size_t i = 0; i < l->texts.n; i++)
        targets.value[i] = l->v[i].value;
    for (uint64_t i = 0; i < n; i++)
        row[i] = targets.value[(size_t)row[i]];
    labels_free(l);
    *l = targets;
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
                   uint64_t i, struct err *e)
{
    if (l->texts.n == CLASSES_MAX) {
        if (become_targets(l, row, i, e) < 0)
            return -1;
        return put_target(text, n, &row[i], e);
    }
    if (add_spelling(l, text, n, at, l->gone + i, e) < 0)
        return -1;
    row[i] = (double)(l->texts.n - 1);
    return 0;
}

int labels_put(struct labels *l, const char *text, size_t n, struct place at, double *row,
               uint64_t i, struct err *e)
{
    if (l->targets)
        return put_target(text, n, &row[i], e);
    long known = texts_find(&l->texts, text, n);
    if (known < 0)
        return put_new(l, text, n, at, row, i, e);
    row[i] = (double)known;
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

void labels_gone(struct labels *l, size_t n)
{
    l->gone += n;
}

int labels_close(struct labels *l, struct classes *c, struct labels_key *key, struct err *e)
{
    const size_t n = l->texts.n;
    c->targets = l->targets;
    c->named = l->words;
    if (l->targets || n == 0) {
        *key = (struct labels_key){ l->value, l->n_value, l->coded };
        l->value = NULL;
        return 0;
    }
    /* what each spelling is from now on, while its place in v still says its number */
    double *becomes = mem_new(n, sizeof *becomes, e);
    struct spelling *sorted = mem_new(n, sizeof *sorted, e);
    int status = becomes && sorted ? 0 : -1;
    if (status == 0) {
        memcpy(sorted, l->v, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, l->words ? by_text : by_value);
    }
    for (size_t i = 0; i < n && status == 0; i++)
        status =
            classes_add(c, sorted[i].text, sorted[i].value, sorted[i].where, sorted[i].order, e);
    for (size_t i = 0; i < n && status == 0; i++)
        becomes[i] = l->words ? (double)classes_find_name(c, l->v[i].text) : l->v[i].value;
    free(sorted);
    *key = (struct labels_key){ becomes, n, UINT64_MAX };
    return status;
}

void labels_turn(const struct labels_key *key, double *row, uint64_t first, size_t n)
{
    for (size_t i = 0; i < n && first + i < key->coded; i++)
        row[i] = key->becomes[(size_t)row[i]];
}

void labels_key_free(struct labels_key *key)
{
    free(key->becomes);
    *key = (struct labels_key){ 0 };
}

int labels_finish(struct labels *l, double *row, size_t n, struct classes *c, struct err *e)
{
    struct labels_key key = { 0 };
    int status = labels_close(l, c, &key, e);
    if (status == 0)
        labels_turn(&key, row, 0, n);
    labels_key_free(&key);
    return status;
}

void labels_free(struct labels *l)
{
    for (size_t i = 0; i < l->texts.n; i++)
        free(l->v[i].where);
    free(l->v);
    free(l->value);
    texts_free(&l->texts);
    memset(l, 0, sizeof *l);
}
