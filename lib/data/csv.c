/* CSV as RFC 4180 has it: a header, fields with quotes that may hold commas and line ends. All
 * columns but the label's are features and hold numbers. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "data/fields.h"
#include "data/format.h"

enum {
    ROWS_AT_ONCE = 1024, /* records that one call of next takes */
    SHOWN = 40,          /* bytes of a bad text that a message shows */
    BID_SEPARATED = 30,
    BID_ANY_TEXT = 5,
};

/* One of the two formats. */
static const struct separated {
    const char *format, *name;
    char separator;
} commas = { "csv", "CSV", ',' }, tabs = { "tsv", "TSV", '\t' };

struct csv {
    const char *format; /* "csv" or "tsv" */
    struct fields record; /* the one in hand */
    struct builder *builder;
    const char *label_text; /* what was asked for; NULL: label_number */
    uint64_t label_number;  /* from 1 */
    bool header;
    bool optional; /* the label's column: no option names it, and nobody asks for it */
    bool ready;   /* the columns are known and fit */
    size_t label; /* column of the label, from 0; SIZE_MAX: there is none */
    char **names; /* of the header */
    size_t columns;
};

/* Names that are all numbers are more likely a row of data. */
static void doubt_header(const struct csv *f)
{
    const struct source *s = f->record.lines.source;
    for (size_t i = 0; i < f->columns; i++) {
        const char *end = f->names[i] + strlen(f->names[i]);
        float v;
        if (num_float(f->names[i], end, &v) != end)
            return;
    }
    log_note(s->log, "%s:%zu: taken for the names of the columns, but all are numbers: --no-header if "
             "it is a row", s->name, f->record.lines.line);
}

static int take_header(struct csv *f, struct err *e)
{
    int more = fields_next(&f->record, e);
    if (more <= 0)
        return more;
    f->columns = f->record.n;
    f->names = mem_new(f->columns, sizeof *f->names, e);
    for (size_t i = 0; f->names != NULL && i < f->columns; i++) {
        size_t n;
        char *text = fields_text(&f->record, i, &n);
        f->names[i] = mem_print(e, "%.*s", (int)n, text);
        if (f->names[i] == NULL)
            return -1;
    }
    if (f->names == NULL)
        return -1;
    doubt_header(f);
    return 1;
}

/* Column of a name, from 0; -1: none; -2: more than one. */
static long find_name(const struct csv *f, const char *name)
{
    long found = -1;
    for (size_t i = 0; f->names != NULL && i < f->columns; i++)
        if (strcmp(f->names[i], name) == 0)
            found = found == -1 ? (long)i : -2;
    return found;
}

/* "the columns are a, b, c": what would have been allowed. */
static int no_column(const struct csv *f, struct err *e)
{
    char known[400] = "";
    size_t at = 0;
    for (size_t i = 0; f->names != NULL && i < f->columns && at < sizeof known - SHOWN - 8; i++)
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%.*s", i > 0 ? ", " : ": ", SHOWN,
                               f->names[i]);
    err_set(e, ERR_DATA, "no column '%s' among the %zu%s", f->label_text, f->columns, known);
    return err_ctx(e, "%s:1", f->record.lines.source->name);
}

/* Where nobody asks for labels a file may have none: without the column's name, or as wide as the model. */
static bool has_label(const struct csv *f)
{
    if (!f->optional)
        return true;
    if (f->label_text == NULL && (f->label_number == 0 || f->columns == f->builder->limit))
        return false;
    return f->label_text == NULL || find_name(f, f->label_text) != -1;
}

static int find_label(struct csv *f, struct err *e)
{
    struct err ignored = { 0 };
    uint64_t number = f->label_number;
    f->label = SIZE_MAX;
    if (!has_label(f))
        return 0;
    long named = f->label_text ? find_name(f, f->label_text) : -1;
    if (named == -2)
        return err_set(e, ERR_DATA, "%s:1: more than one column '%s'", f->record.lines.source->name,
                       f->label_text);
    if (named < 0 && f->label_text && num_whole(f->label_text, &number, &ignored) < 0)
        return no_column(f, e);
    if (named < 0 && (number < 1 || number > f->columns))
        return err_set(e, ERR_DATA, "%s:1: no column %llu: they count from 1 to %zu",
                       f->record.lines.source->name, (unsigned long long)number, f->columns);
    f->label = named < 0 ? (size_t)number - 1 : (size_t)named;
    return 0;
}

/* With the first row of data at hand, so that a file with other separators fails where it shows. */
static int get_ready(struct csv *f, struct err *e)
{
    if (find_label(f, e) < 0)
        return -1;
    bool labelled = f->label != SIZE_MAX;
    if (f->columns < (labelled ? 2u : 1u))
        return err_set(e, ERR_DATA, "%s:1: one column: nothing beside the label",
                       f->record.lines.source->name);
    if (builder_begin(f->builder, f->format, ROWS_DENSE, f->columns - labelled, e) < 0)
        return lines_blame(&f->record.lines, e);
    f->ready = true;
    return 0;
}

static int blame_field(struct csv *f, size_t i, struct err *e)
{
    size_t n;
    float v;
    char number[24], *text = fields_text(&f->record, i, &n);
    const char *name = f->names ? f->names[i] : number;
    snprintf(number, sizeof number, "%zu", i + 1);
    int shown = n < SHOWN ? (int)n : SHOWN;
    if (n == 0)
        return err_set(e, ERR_DATA, "column '%s': the value is missing", name);
    if (num_float(text, text + n, &v) == text + n)
        return err_set(e, ERR_DATA, "column '%s': '%.*s' is not a finite float", name, shown, text);
    return err_set(e, ERR_DATA, "column '%s': '%.*s' is not a number", name, shown, text);
}

static int put_row(struct csv *f, struct err *e)
{
    struct builder *b = f->builder;
    struct place at = { f->record.lines.source->name, ":", f->record.lines.line };
    if (builder_room(b, 1, e) < 0)
        return -1;
    float *x = b->x + b->n * b->features;
    for (size_t i = 0; i < f->record.n; i++) {
        const char *text = f->record.text + f->record.v[i].begin,
                   *end = f->record.text + f->record.v[i].end;
        if (i == f->label)
            continue;
        if (text == end || num_float(text, end, x) != end || !isfinite(*x))
            return blame_field(f, i, e);
        x++;
    }
    static char none[] = "0";
    size_t n = 1;
    char *label = f->label == SIZE_MAX ? none : fields_text(&f->record, f->label, &n);
    if (labels_put(&b->spellings, label, n, at, b->labels, b->n, e) < 0)
        return -1;
    b->n++;
    return 0;
}

static int csv_next(void *self, struct err *e)
{
    struct csv *f = self;
    if (f->header && f->names == NULL) {
        int more = take_header(f, e);
        if (more <= 0)
            return more;
    }
    for (int i = 0; i < ROWS_AT_ONCE; i++) {
        int more = fields_next(&f->record, e);
        if (more <= 0)
            return more;
        if (f->columns == 0)
            f->columns = f->record.n;
        if (f->record.n != f->columns) {
            err_set(e, ERR_DATA, "%zu fields, expected %zu", f->record.n, f->columns);
            return lines_blame(&f->record.lines, e);
        }
        if (!f->ready && get_ready(f, e) < 0)
            return -1;
        if (put_row(f, e) < 0)
            return lines_blame(&f->record.lines, e);
    }
    return 1;
}

static void csv_close(void *self)
{
    struct csv *f = self;
    for (size_t i = 0; f->names != NULL && i < f->columns; i++)
        free(f->names[i]);
    free(f->names);
    fields_free(&f->record);
    free(f);
}

/* What the options say, else what the model learned from. */
static void choose(struct csv *f, const struct input *in)
{
    bool like = in->like && json_string_value(json_object_get(in->like, "format")) &&
                strcmp(json_string_value(json_object_get(in->like, "format")), f->format) == 0;
    json_t *label = like ? json_object_get(in->like, "label_column") : NULL;
    f->header = !in->no_header && !(like && json_is_false(json_object_get(in->like, "header")));
    f->optional = in->unlabelled && in->label_column == NULL;
    f->label_text = in->label_column ? in->label_column : json_string_value(label);
    f->label_number = (uint64_t)json_integer_value(label);
}

static void *open_separated(struct source *s, struct builder *b, const struct input *in,
                            const struct separated *how, struct err *e)
{
    struct csv *f = mem_new(1, sizeof *f, e);
    if (f == NULL)
        return NULL;
    f->format = how->format;
    f->record.lines.source = s;
    f->record.separator = how->separator;
    f->builder = b;
    choose(f, in);
    if (f->label_text != NULL || f->label_number > 0 || f->optional)
        return f;
    err_set(e, ERR_USAGE, "%s: %s needs --label-column NAME|NUMBER", s->name,
            how->name);
    free(f);
    return NULL;
}

static void *csv_open(struct source *s, struct builder *b, const struct input *in, struct err *e)
{
    return open_separated(s, b, in, &commas, e);
}

static void *tsv_open(struct source *s, struct builder *b, const struct input *in, struct err *e)
{
    return open_separated(s, b, in, &tabs, e);
}

/* The name of a column, or its number where it has none that JSON can hold. */
static json_t *column_json(const struct csv *f, size_t i)
{
    json_t *name = f->names ? json_string(f->names[i]) : NULL;
    return name ? name : json_integer((json_int_t)i + 1);
}

static json_t *csv_meta(const void *self)
{
    const struct csv *f = self;
    if (!f->ready)
        return NULL;
    json_t *meta = json_pack("{s:s, s:b}", "format", f->format, "header", f->names != NULL);
    if (f->label != SIZE_MAX)
        json_object_set_new(meta, "label_column", column_json(f, f->label));
    json_t *columns = f->names ? json_array() : NULL;
    for (size_t i = 0; columns && i < f->columns; i++)
        if (i != f->label)
            json_array_append_new(columns, column_json(f, i));
    if (columns != NULL)
        json_object_set_new(meta, "columns", columns);
    return meta;
}

static bool is_text(const struct source *s)
{
    for (size_t i = 0; i < s->head_n; i++)
        if (s->head[i] < 0x20 && !isspace(s->head[i]))
            return false;
    return s->head_n > 0;
}

static int csv_bid(const struct source *s)
{
    if (!is_text(s))
        return BID_NO;
    if (memchr(s->head, ',', s->head_n) != NULL)
        return BID_SEPARATED;
    return memchr(s->head, '\n', s->head_n) != NULL ? BID_ANY_TEXT : BID_NO;
}

/* Tabs, and no comma, in the first line. */
static int tsv_bid(const struct source *s)
{
    const unsigned char *end = is_text(s) ? memchr(s->head, '\n', s->head_n) : NULL;
    size_t n = end ? (size_t)(end - s->head) : 0;
    bool tabs_only = n > 0 && memchr(s->head, '\t', n) != NULL && memchr(s->head, ',', n) == NULL;
    return tabs_only ? BID_SEPARATED + 1 : BID_NO;
}

const struct format format_csv = {
    .plug = { .name = "csv", .help = "numbers between commas, a row a line, one column a label" },
    .bid = csv_bid,
    .open = csv_open,
    .next = csv_next,
    .close = csv_close,
    .meta = csv_meta,
};

const struct format format_tsv = {
    .plug = { .name = "tsv", .help = "the same between tabs" },
    .bid = tsv_bid,
    .open = tsv_open,
    .next = csv_next,
    .close = csv_close,
    .meta = csv_meta,
};
