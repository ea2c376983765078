/* Rows as they were read made rows of numbers. */
#include "data/encoding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { SHOWN = 40 /* bytes of a text that a message shows */ };

static void free_columns(struct encoding *c)
{
    for (size_t j = 0; j < c->n; j++) {
        free(c->v[j].name);
        free(c->v[j].place);
        texts_free(&c->v[j].categories);
    }
    free(c->v);
    c->v = NULL;
    c->n = 0;
}

int encoding_forget(struct encoding *c, struct err *e)
{
    bool told = c->n > 0 || c->bits > 0;
    if (c->n > 0 && c->v[0].name != NULL)
        return err_set(e, ERR_DATA, "no table, and there is one before: all files must be of one kind");
    free_columns(c);
    c->bits = 0;
    c->fixed = false;
    if (told && c->missing.rule == MISSING_MEAN)
        c->missing.rule = MISSING_ERROR;
    return 0;
}

void encoding_free(struct encoding *c)
{
    free_columns(c);
    free(c->fill);
    free(c->dropped.first);
    free(c->unlabelled.first);
    free(c->unseen.first);
    free(c->tally);
    missing_free(&c->missing);
    *c = (struct encoding){ 0 };
}

int encoding_columns(struct encoding *c, size_t n, struct err *e)
{
    if (c->v != NULL && c->n != n)
        return err_set(e, ERR_DATA, "%zu columns of features, %s %zu", n,
                       c->fixed ? "the model was trained on" : "the file before has", c->n);
    if (c->v != NULL)
        return 0;
    c->v = mem_new(n, sizeof *c->v, e);
    if (c->v == NULL)
        return -1;
    c->n = n;
    for (size_t j = 0; c->fixed && j < n; j++)
        c->v[j].kind = COLUMN_NUMBER;
    return 0;
}

int encoding_name(struct encoding *c, size_t j, const char *name, struct err *e)
{
    if (c->v[j].name == NULL)
        c->v[j].name = mem_text(name, e);
    return c->v[j].name == NULL ? -1 : 0;
}

int remark(struct remark *r, struct place at, const char *what, struct err *e)
{
    if (r->n++ == 0)
        r->first = mem_print(e, "%s%s%zu%s", at.file, at.unit, at.number, what);
    return r->first == NULL ? -1 : 0;
}

static int note_unseen(struct encoding *c, const struct column *column, const char *text, size_t n,
                       struct place at, struct err *e)
{
    char what[3 * SHOWN];
    snprintf(what, sizeof what, ": column '%.*s': '%.*s'", SHOWN, column->name, n < SHOWN ? (int)n : SHOWN, text);
    return remark(&c->unseen, at, what, e);
}

int encoding_code(struct encoding *c, size_t j, const char *text, size_t n, struct place at, float *code,
                  struct err *e)
{
    struct column *column = &c->v[j];
    struct texts *known = &column->categories;
    long number = texts_find(known, text, n);
    if (number < 0 && c->fixed) {
        *code = ENCODING_UNSEEN;
        return note_unseen(c, column, text, n, at, e);
    }
    if (number < 0 && known->n == CATEGORIES_MAX)
        return err_set(e, ERR_DATA,
                       "column '%.*s': more than %d categories ('%.*s' is the first): --hash-bits takes any number, "
                       "--drop-columns leaves it out",
                       SHOWN, column->name, CATEGORIES_MAX, SHOWN, known->v[0].text);
    if (number < 0 && texts_fit(text, n, "category", e) < 0)
        return err_ctx(e, "column '%.*s'", SHOWN, column->name);
    if (number < 0)
        number = texts_add(known, text, n, e);
    *code = (float)number;
    return number < 0 ? -1 : 0;
}

int32_t encoding_hash(const struct encoding *c, size_t j, const char *text, size_t n)
{
    const char *name = c->v[j].name;
    uint32_t h = texts_hash(TEXTS_HASH, name, strlen(name));
    if (text != NULL)
        h = texts_hash(texts_hash(h, "=", 1), text, n);
    return (int32_t)((h ^ h >> c->bits) & ((1u << c->bits) - 1));
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp((*(const struct text *const *)a)->text, (*(const struct text *const *)b)->text);
}

static int settle_column(struct column *column, struct err *e)
{
    const struct texts *t = &column->categories;
    const struct text **sorted = mem_new(t->n, sizeof *sorted, e);
    free(column->place);
    column->place = mem_new(t->n, sizeof *column->place, e);
    if (sorted == NULL || column->place == NULL) {
        free(sorted);
        return -1;
    }
    for (size_t i = 0; i < t->n; i++)
        sorted[i] = &t->v[i];
    qsort(sorted, t->n, sizeof *sorted, by_bytes);
    for (size_t i = 0; i < t->n; i++)
        column->place[sorted[i] - t->v] = (uint32_t)i;
    free(sorted);
    return 0;
}

int encoding_settle(struct encoding *c, struct err *e)
{
    size_t first = 0;
    for (size_t j = 0; j < c->n; j++) {
        struct column *column = &c->v[j];
        column->first = first;
        if (settle_column(column, e) < 0)
            return -1;
        first += column->kind == COLUMN_CATEGORY ? column->categories.n : 1;
    }
    return 0;
}

/* Columns that become a feature for each of their categories. */
static bool spreads(const struct encoding *c)
{
    bool any = false;
    for (size_t j = 0; c->bits == 0 && j < c->n; j++)
        any = any || c->v[j].kind == COLUMN_CATEGORY;
    return any;
}

bool encoding_changes(const struct encoding *c)
{
    return spreads(c) || c->missing.rule == MISSING_ZERO || c->missing.rule == MISSING_MEAN;
}

int encoding_check(const struct encoding *c, bool beside, bool found, const char *name, struct err *e)
{
    if (encoding_changes(c) && !c->fixed && beside)
        return err_set(e, ERR_USAGE, "%s: shards beside raw data with categories or missing values: make shards of "
                       "these by dsgd-shard --like first", name);
    if (c->missing.rule == MISSING_MEAN && !c->known && found)
        return err_set(e, ERR_USAGE, "%s: --missing mean: the means are not known: dsgd-shard finds them, and shards "
                       "and models keep them", name);
    return 0;
}

size_t encoding_width(const struct encoding *c, size_t features)
{
    if (!spreads(c))
        return features;
    const struct column *last = &c->v[c->n - 1];
    return last->first + (last->kind == COLUMN_CATEGORY ? last->categories.n : 1);
}

static double fill_of(const struct encoding *c, size_t j)
{
    return c->fill != NULL && j < c->n_fill ? c->fill[j] : 0;
}

static void fill_sparse(const struct encoding *c, struct builder *b)
{
    for (size_t k = 0; k < b->entries; k++) {
        size_t j = (size_t)b->indices[k];
        if (!isnan(b->values[k]))
            continue;
        if (c->bits > 0)
            for (j = 0; j < c->n && encoding_hash(c, j, NULL, 0) != b->indices[k]; j++)
                continue;
        b->values[k] = (float)fill_of(c, j);
    }
}

static void fill_dense(const struct encoding *c, struct builder *b)
{
    for (size_t i = 0; i < b->n; i++)
        for (size_t j = 0; j < b->features; j++) {
            float *x = &b->x[i * b->features + j];
            if (isnan(*x))
                *x = (float)fill_of(c, j);
        }
}

/* One row into the zeros at `to`. */
static void spread_row(const struct encoding *c, const float *x, float *to)
{
    for (size_t j = 0; j < c->n; j++) {
        const struct column *column = &c->v[j];
        bool category = column->kind == COLUMN_CATEGORY;
        double none = category && c->fill == NULL ? -1 : fill_of(c, j);
        double v = isnan(x[j]) ? none : (double)x[j];
        if (!category)
            to[column->first] = (float)v;
        else if (v >= 0)
            to[column->first + column->place[(size_t)v]] = 1;
    }
}

/* Rows of b get wider; zeros behind them, where it is wider than the columns are. */
static int spread(const struct encoding *c, struct builder *b, struct err *e)
{
    struct builder wide = { .kind = ROWS_DENSE, .features = encoding_width(c, c->n) };
    wide.features += b->features - c->n;
    if (builder_room(&wide, b->n, e) < 0) {
        builder_free(&wide);
        return -1;
    }
    memset(wide.x, 0, b->n * wide.features * sizeof *wide.x);
    for (size_t i = 0; i < b->n; i++)
        spread_row(c, b->x + i * b->features, wide.x + i * wide.features);
    free(b->x);
    b->x = wide.x;
    b->x_cap = wide.x_cap;
    b->features = wide.features;
    wide.x = NULL;
    builder_free(&wide);
    return 0;
}

int encoding_apply(const struct encoding *c, struct builder *b, struct err *e)
{
    if (b->n == 0 || b->kind == ROWS_BYTES || !encoding_changes(c))
        return 0;
    if (b->kind == ROWS_SPARSE)
        fill_sparse(c, b);
    else if (spreads(c))
        return spread(c, b, e);
    else
        fill_dense(c, b);
    return 0;
}

static void tell_rows(const struct remark *r, const char *what, const struct log *log)
{
    if (r->n > 0)
        log_note(log, "%s: %s; %zu such row%s left out", r->first, what, r->n, r->n == 1 ? " is" : "s are");
}

void encoding_tell(const struct encoding *c, const struct log *log)
{
    tell_rows(&c->dropped, "a value is missing", log);
    tell_rows(&c->unlabelled, "the label is missing", log);
    if (c->unseen.n > 0)
        log_note(log, "%s is no category that the model knows; %zu such value%s no feature", c->unseen.first,
                 c->unseen.n, c->unseen.n == 1 ? " sets" : "s set");
}
