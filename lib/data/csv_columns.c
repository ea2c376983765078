/* Who the columns of a table are: label, features, what is left out. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/csv.h"

/* Columns that the options leave out, or those of the model. */
static int leave_out(struct csv *f, bool *flags, struct err *e)
{
    const json_t *list = f->like ? json_object_get(f->like, "dropped") : NULL;
    const json_t *one;
    size_t i;
    if (f->in->drop_columns != NULL && header_list(&f->header, f->in->drop_columns, flags, e) < 0)
        return e->kind == ERR_USAGE ? err_ctx(e, "--drop-columns") : -1;
    if (f->in->drop_columns != NULL)
        return 0;
    json_array_foreach(list, i, one)
    {
        long column = header_parse(&f->header, one);
        if (column >= 0)
            flags[column] = true;
    }
    return 0;
}

/* Columns at the end of the header that have no name: separators too many. */
static void find_nameless(struct csv *f)
{
    const struct header *h = &f->header;
    for (size_t i = h->n; h->names != NULL && i > 1 && h->names[i - 1][0] == '\0'; i--)
        f->feature[i - 1] = CSV_NAMELESS;
}

/* Columns that features could be of. */
static size_t count_open(const struct csv *f)
{
    size_t open = 0;
    for (size_t i = 0; i < f->header.n; i++)
        open += f->feature[i] >= 0;
    return open;
}

/* Features that a model has before categories are spread; 0: no model tells. */
static size_t wanted(const struct csv *f)
{
    const struct encoding *c = f->encoding;
    return c->fixed && c->n > 0 ? c->n : f->builder->limit;
}

/* A column that the options give two parts to. */
static int only_one(const struct csv *f, size_t column, const char *option, struct err *e)
{
    bool dropped = f->in->drop_columns != NULL && f->feature[column] == CSV_LEFT_OUT;
    if (!dropped && f->feature[column] != CSV_WEIGHT)
        return 0;
    return err_set(e, ERR_USAGE, "%s and %s name one column, number %zu", dropped ? "--drop-columns" : "--weight-column",
                   option, column + 1);
}

/* The column of weights, if there is one: a file for a model may lack it. */
static int find_weight(struct csv *f, struct err *e)
{
    const json_t *learned = f->like ? json_object_get(f->like, "weight_column") : NULL;
    bool told = json_is_string(learned) || (json_is_integer(learned) && count_open(f) > wanted(f));
    f->weight = SIZE_MAX;
    if (f->in->weight_column != NULL && header_find(&f->header, f->in->weight_column, &f->weight, e) < 0)
        return -1;
    if (f->in->weight_column == NULL && told)
        f->weight = (size_t)header_parse(&f->header, learned);
    if (f->weight < f->header.n && f->in->weight_column != NULL && only_one(f, f->weight, "--weight-column", e) < 0)
        return -1;
    if (f->weight < f->header.n)
        f->feature[f->weight] = CSV_WEIGHT;
    else
        f->weight = SIZE_MAX;
    return 0;
}

/* The column that a model's data had the label in, as a text for header_find; NULL: none. */
static char *learned_label(const struct csv *f, struct err *e)
{
    const json_t *label = f->like ? json_object_get(f->like, "label_column") : NULL;
    if (json_is_string(label))
        return mem_text(json_string_value(label), e);
    return json_is_integer(label) ? mem_print(e, "%lld", (long long)json_integer_value(label)) : NULL;
}

/* Where nobody asks for labels a file may have none: without the column's name, or as wide as the model. */
static bool has_label(const struct csv *f, const char *text)
{
    const json_t *learned = f->like ? json_object_get(f->like, "label_column") : NULL;
    if (f->in->labels != NULL)
        return false;
    if (!f->optional)
        return true;
    if (json_is_string(learned))
        return header_name(&f->header, text) != -1;
    return text != NULL && count_open(f) != wanted(f);
}

static int find_label(struct csv *f, struct err *e)
{
    char *learned = f->in->label_column ? NULL : learned_label(f, e);
    const char *text = f->in->label_column ? f->in->label_column : learned;
    int status = 0;
    f->label = SIZE_MAX;
    if (e->kind == ERR_OK && has_label(f, text)) {
        status = header_find(&f->header, text, &f->label, e);
        if (status == 0 && f->in->label_column != NULL)
            status = only_one(f, f->label, "--label-column", e);
        if (status == 0)
            f->feature[f->label] = CSV_LABEL;
    }
    free(learned);
    return e->kind == ERR_OK ? status : -1;
}

static int find_roles(struct csv *f, struct err *e)
{
    bool *flags = mem_new(f->header.n, sizeof *flags, e);
    f->feature = mem_new(f->header.n, sizeof *f->feature, e);
    int status = flags == NULL || f->feature == NULL ? -1 : leave_out(f, flags, e);
    if (status == 0)
        find_nameless(f);
    for (size_t i = 0; status == 0 && i < f->header.n; i++)
        if (flags[i])
            f->feature[i] = CSV_LEFT_OUT;
    if (status == 0)
        status = find_weight(f, e);
    if (status == 0)
        status = find_label(f, e);
    for (size_t i = 0; status == 0 && i < f->header.n; i++)
        if (f->feature[i] >= 0)
            f->feature[i] = (long)f->features++;
    free(flags);
    return status;
}

/* Columns that the options say are of categories; those of a model are known. */
static int find_categories(struct csv *f, struct err *e)
{
    const char *list = f->in->categories;
    if (list == NULL || f->encoding->fixed || f->automatic)
        return 0;
    bool *flags = mem_new(f->header.n, sizeof *flags, e);
    int status = flags == NULL ? -1 : header_list(&f->header, list, flags, e);
    for (size_t i = 0; status == 0 && i < f->header.n; i++) {
        if (flags[i] && (i == f->label || i == f->weight))
            status = err_set(e, ERR_USAGE, "column number %zu is that of the %s", i + 1,
                             i == f->label ? "label" : "weights");
        else if (flags[i] && f->feature[i] >= 0)
            f->encoding->v[f->feature[i]].kind = COLUMN_CATEGORY;
    }
    free(flags);
    return status < 0 && e->kind == ERR_USAGE ? err_ctx(e, "--categories") : status;
}

static int name_columns(struct csv *f, struct err *e)
{
    if (encoding_columns(f->encoding, f->features, e) < 0)
        return lines_blame(&f->record.lines, e);
    for (size_t i = 0; i < f->header.n; i++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i + 1);
        if (f->feature[i] >= 0 && encoding_name(f->encoding, (size_t)f->feature[i],
                                                f->header.names ? f->header.names[i] : number, e) < 0)
            return -1;
    }
    return find_categories(f, e);
}

int csv_columns(struct csv *f, struct err *e)
{
    const unsigned bits = f->encoding->bits;
    if (f->header.n == 1 && f->in->labels == NULL && !f->optional)
        return err_set(e, ERR_DATA, "%s:%zu: one column: nothing beside the label (--separator, if there are more; "
                       "--skip-lines, if it is no row)", f->header.file, f->header.line);
    if (find_roles(f, e) < 0)
        return -1;
    if (f->features == 0)
        return err_set(e, ERR_DATA, "%s:%zu: no column is a feature", f->header.file, f->header.line);
    if (name_columns(f, e) < 0)
        return -1;
    if (builder_begin(f->builder, f->format, bits > 0 ? ROWS_SPARSE : ROWS_DENSE, bits > 0 ? 0 : f->features, e) < 0)
        return lines_blame(&f->record.lines, e);
    if (bits > 0) {
        f->builder->features = (size_t)1 << bits;
        f->builder->sums = true;
    }
    return f->weight != SIZE_MAX ? builder_weigh(f->builder, e) : 0;
}

json_t *csv_columns_meta(const struct csv *f)
{
    const struct header *h = &f->header;
    json_t *meta = json_pack("{s:s, s:b}", "format", f->format, "header", h->names != NULL);
    json_t *columns = json_array(), *dropped = json_array();
    if (f->label != SIZE_MAX)
        json_object_set_new(meta, "label_column", header_json(h, f->label));
    if (f->weight != SIZE_MAX)
        json_object_set_new(meta, "weight_column", header_json(h, f->weight));
    for (size_t i = 0; i < h->n; i++) {
        if (f->feature[i] >= 0)
            json_array_append_new(columns, header_json(h, i));
        if (f->feature[i] == CSV_LEFT_OUT)
            json_array_append_new(dropped, header_json(h, i));
    }
    if (h->names != NULL)
        json_object_set(meta, "columns", columns);
    if (json_array_size(dropped) > 0)
        json_object_set(meta, "dropped", dropped);
    json_decref(columns);
    json_decref(dropped);
    return meta;
}
