/* How rows were made rows of numbers, as it travels with them. */
#include <string.h>

#include "base/mem.h"
#include "data/encoding.h"
#include "data/format.h"
#include "data/reals.h"

/* The categories of a column in the order of their bytes, none when they are hashed; null for a column of numbers. */
static json_t *categories_json(const struct column *column)
{
    if (column->kind != COLUMN_CATEGORY)
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < column->categories.n; i++)
        json_array_append_new(list, json_null());
    for (size_t i = 0; i < column->categories.n; i++)
        json_array_set_new(list, column->place[i], json_string(column->categories.v[i].text));
    return list;
}

/* The name of a feature, "" when it is no text. */
static json_t *name_json(const char *name)
{
    json_t *text = json_string(name);
    return text ? text : json_string("");
}

static int name_features(json_t *names, const struct encoding *c, const struct column *column, struct err *e)
{
    json_t *categories = c->bits > 0 ? json_null() : categories_json(column);
    const json_t *one;
    size_t i;
    if (!json_is_array(categories))
        json_array_append_new(names, name_json(column->name));
    json_array_foreach(categories, i, one)
    {
        char *name = mem_print(e, "%s=%s", column->name, json_string_value(one));
        json_array_append_new(names, name_json(name ? name : ""));
        free(name);
    }
    json_decref(categories);
    return json_array_size(names) > 0 ? 0 : err_memory(e);
}

static int describe_columns(const struct encoding *c, json_t *meta, struct err *e)
{
    json_t *names = json_array(), *categories = json_array();
    int status = 0;
    for (size_t j = 0; j < c->n && status == 0; j++) {
        status = name_features(names, c, &c->v[j], e);
        json_array_append_new(categories, categories_json(&c->v[j]));
    }
    json_object_set_new(meta, "columns", names);
    json_object_set_new(meta, "categories", categories);
    return status;
}

/* What a missing category becomes is told by its place among the others. */
static json_t *fill_json(const struct encoding *c)
{
    json_t *list = reals_json(c->fill, c->n_fill);
    for (size_t j = 0; c->bits == 0 && j < c->n && j < c->n_fill; j++)
        if (c->v[j].kind == COLUMN_CATEGORY && c->fill[j] >= 0)
            json_array_set_new(list, j, json_integer(c->v[j].place[(size_t)c->fill[j]]));
    return list;
}

static bool has_categories(const struct encoding *c)
{
    bool any = false;
    for (size_t j = 0; j < c->n; j++)
        any = any || c->v[j].kind == COLUMN_CATEGORY;
    return any;
}

int encoding_describe(const struct encoding *c, json_t *meta, struct err *e)
{
    const struct missing *m = &c->missing;
    if ((c->bits > 0 || has_categories(c)) && c->n > 0 && describe_columns(c, meta, e) < 0)
        return -1;
    if (c->bits > 0 && c->n > 0)
        json_object_set_new(meta, "hash_bits", json_integer(c->bits));
    if (m->marks != NULL)
        json_object_set_new(meta, "na", json_string(m->marks));
    if (m->rule == MISSING_ERROR)
        return 0;
    json_t *missing = json_pack("{s:s}", "method", missing_name(m->rule));
    if (c->fill != NULL)
        json_object_set_new(missing, "fill", fill_json(c));
    return json_object_set_new(meta, "missing", missing) < 0 ? err_memory(e) : 0;
}

static int damaged(const char *what, struct err *e)
{
    return err_set(e, ERR_DATA, "the %s of the data that it is to be like are damaged", what);
}

static int parse_column(struct column *column, const json_t *list, struct err *e)
{
    const json_t *one;
    size_t i;
    column->kind = json_is_array(list) ? COLUMN_CATEGORY : COLUMN_NUMBER;
    json_array_foreach(list, i, one)
    {
        const char *text = json_string_value(one);
        if (text == NULL || texts_find(&column->categories, text, strlen(text)) >= 0)
            return damaged("categories", e);
        if (texts_add(&column->categories, text, strlen(text), e) < 0)
            return -1;
    }
    return 0;
}

static int parse_columns(struct encoding *c, const json_t *list, struct err *e)
{
    if (list == NULL)
        return 0;
    if (!json_is_array(list) || encoding_columns(c, json_array_size(list), e) < 0)
        return damaged("categories", e);
    for (size_t j = 0; j < c->n; j++)
        if (parse_column(&c->v[j], json_array_get(list, j), e) < 0)
            return -1;
    return 0;
}

static int parse_fill(struct encoding *c, const json_t *list, struct err *e)
{
    if (c->missing.rule != MISSING_MEAN || list == NULL)
        return 0;
    c->n_fill = json_array_size(list);
    c->fill = mem_new(c->n_fill, sizeof *c->fill, e);
    if (c->fill == NULL)
        return -1;
    c->known = reals_take(c->fill, c->n_fill, list);
    for (size_t j = 0; c->bits == 0 && j < c->n && j < c->n_fill; j++)
        if (c->v[j].kind == COLUMN_CATEGORY && c->fill[j] >= (double)c->v[j].categories.n)
            c->known = false;
    return c->known ? 0 : damaged("means", e);
}

static int parse_bits(struct encoding *c, const struct input *in, struct err *e)
{
    uint64_t learned = (uint64_t)json_integer_value(json_object_get(in->like, "hash_bits"));
    if (learned > HASH_BITS_MAX)
        return damaged("hash_bits", e);
    if (in->hash_bits > HASH_BITS_MAX)
        return err_set(e, ERR_USAGE, "--hash-bits %llu: at most %d", (unsigned long long)in->hash_bits,
                       HASH_BITS_MAX);
    if (c->fixed && in->hash_bits > 0 && in->hash_bits != learned)
        return err_set(e, ERR_USAGE, "--hash-bits %llu: the model was trained with %llu%s",
                       (unsigned long long)in->hash_bits, (unsigned long long)learned,
                       learned == 0 ? ", which is none" : "");
    c->bits = (unsigned)(c->fixed ? learned : in->hash_bits);
    return 0;
}

int encoding_open(struct encoding *c, const struct input *in, struct err *e)
{
    c->fixed = format_is_table(json_string_value(json_object_get(in->like, "format")));
    if (missing_open(&c->missing, in, e) < 0 || parse_bits(c, in, e) < 0)
        return -1;
    if (parse_columns(c, json_object_get(in->like, "categories"), e) < 0)
        return -1;
    return parse_fill(c, json_object_get(json_object_get(in->like, "missing"), "fill"), e);
}
