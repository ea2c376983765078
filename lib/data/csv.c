/* CSV as RFC 4180 has it: a header, fields with quotes that may hold commas and line ends; tables that others write:
 * other separators, decimal commas, lines in front. */
#include "data/csv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/format.h"

enum {
    ROWS_AT_ONCE = 1024, /* records that one call of next takes */
    BID_SEPARATED = 30,
    BID_ANY_TEXT = 5,
};

/* One of the two formats. */
static const struct separated {
    const char *format, *name;
    char separator;
} commas = { "csv", "CSV", ',' }, tabs = { "tsv", "TSV", '\t' };

static int take_header(struct csv *f, struct err *e)
{
    int more = fields_next(&f->record, e);
    if (more <= 0)
        return more;
    f->header.line = f->record.lines.line;
    if (header_take(&f->header, &f->record, e) < 0)
        return -1;
    if (header_numbers(&f->header) == f->header.n)
        log_note(f->record.lines.source->log,
                 "%s:%zu: taken for the names of the columns, but all are numbers: --no-header if it is a row",
                 f->header.file, f->header.line);
    return 1;
}

/* Lines in front that are no rows; and, of labels in a file of their own, their header. */
static int begin(struct csv *f, struct err *e)
{
    char *text;
    size_t n;
    int more = 1;
    for (uint64_t i = 0; more > 0 && i < f->in->skip_lines; i++)
        more = lines_next(&f->record.lines, &text, &n, e);
    if (more > 0 && f->named)
        more = take_header(f, e);
    if (more > 0 && f->named && f->labels.lines.source != NULL)
        more = fields_next(&f->labels, e);
    return more;
}

/* What may be the reason why a record has other fields than the first. */
static const char *advice(const struct csv *f)
{
    const struct header *h = &f->header;
    if (h->n == 1 && h->names != NULL && strchr(h->names[0], ';') != NULL)
        return " (--separator ';' if that separates)";
    return f->rows == 1 ? " (--skip-lines 1 if the line before is no row and has no names)" : "";
}

/* The record in hand, which is the first or has as many fields as that. */
static int take_record(struct csv *f, struct err *e)
{
    f->rows++;
    if (f->header.n == 0) {
        f->header.n = f->record.n;
        f->header.line = f->record.lines.line;
    }
    if (f->record.n != f->header.n) {
        err_set(e, ERR_DATA, "%zu field%s, expected %zu%s", f->record.n, f->record.n == 1 ? "" : "s",
                f->header.n, advice(f));
        return lines_blame(&f->record.lines, e);
    }
    if (f->feature == NULL && csv_columns(f, e) < 0)
        return -1;
    if (csv_put_row(f, e) < 0)
        return lines_blame(&f->record.lines, e);
    f->plain = csv_is_plain(f);
    return 0;
}

/* A line of nothing but separators, where the label would stand in it, is no row. */
static bool is_nothing(const struct csv *f)
{
    bool labelled = f->feature == NULL ? !f->optional && f->in->labels == NULL : f->label != SIZE_MAX;
    return f->record.n > 1 && labelled && fields_empty(&f->record);
}

/* A row of data in the place of the names would be lost: some name is a number then, and that of the label a label. */
static void doubt_header(const struct csv *f)
{
    const struct header *h = &f->header;
    size_t numbers = h->names ? header_numbers(h) : 0;
    if (f->feature == NULL || f->label == SIZE_MAX || numbers == 0 || numbers == h->n)
        return;
    const char *name = h->names[f->label];
    if (texts_find(&f->builder->spellings.texts, name, strlen(name)) >= 0)
        log_note(f->record.lines.source->log,
                 "%s:%zu: taken for the names of the columns, but '%.40s' is a label below: --no-header if it is a row",
                 h->file, h->line, name);
}

/* All records are read: nothing may be left over. */
static int end(struct csv *f, struct err *e)
{
    size_t labels = f->rows;
    int more = 0;
    doubt_header(f);
    if (f->empty.n > 0)
        log_note(f->record.lines.source->log, "%s: nothing but separators; %zu such line%s left out", f->empty.first,
                 f->empty.n, f->empty.n == 1 ? " is" : "s are");
    while (f->labels.lines.source != NULL && (more = fields_next(&f->labels, e)) > 0)
        labels++;
    if (more == 0 && labels > f->rows)
        return err_set(e, ERR_DATA, "%s has %zu rows, %s has %zu labels", f->header.file, f->rows,
                       f->label_source.path, labels);
    return more;
}

static int take_line(struct csv *f, struct err *e)
{
    int done = f->plain ? csv_put_plain(f, e) : 0;
    if (done != 0)
        return done > 0 ? 0 : lines_blame(&f->record.lines, e);
    if (fields_cut(&f->record, e) < 0)
        return -1;
    struct place at = { f->header.file, ":", f->record.lines.line };
    return is_nothing(f) ? remark(&f->empty, at, "", e) : take_record(f, e);
}

static int csv_next(void *self, struct err *e)
{
    struct csv *f = self;
    if (f->rows == 0 && f->header.n == 0) {
        int more = begin(f, e);
        if (more <= 0)
            return more;
    }
    for (int i = 0; i < ROWS_AT_ONCE; i++) {
        int more = fields_line(&f->record, e);
        if (more <= 0)
            return more < 0 ? -1 : end(f, e);
        if (take_line(f, e) < 0)
            return -1;
    }
    return 1;
}

static void csv_close(void *self)
{
    struct csv *f = self;
    header_free(&f->header);
    free(f->feature);
    free(f->empty.first);
    fields_free(&f->record);
    fields_free(&f->labels);
    source_close(&f->label_source);
    free(f);
}

/* The text of a member of what the model learned from, or NULL. */
static const char *learned(const struct csv *f, const char *key)
{
    return f->like ? json_string_value(json_object_get(f->like, key)) : NULL;
}

/* What separates columns: a character, "blanks", "tab". */
static int choose_separator(struct csv *f, const char *text, struct err *e)
{
    if (text == NULL)
        return 0;
    if (strcmp(text, "blanks") == 0 || strcmp(text, " ") == 0)
        f->record.separator = FIELDS_BLANKS;
    else if (strcmp(text, "tab") == 0 || strcmp(text, "\t") == 0)
        f->record.separator = '\t';
    else if (strlen(text) == 1 && ispunct((unsigned char)*text) && strchr("\".+-", *text) == NULL)
        f->record.separator = *text;
    else
        return err_set(e, ERR_USAGE, "--separator '%.40s': one of the characters ,;:|&/ and their like, or blanks or "
                       "tab", text);
    return 0;
}

/* What the options say, else what the model learned from. */
static int choose(struct csv *f, const struct input *in, struct err *e)
{
    const char *separator = in->separator ? in->separator : learned(f, "separator");
    f->named = !in->no_header && !(f->like && json_is_false(json_object_get(f->like, "header")));
    f->optional = in->unlabelled && in->label_column == NULL;
    f->automatic = in->categories ? strcmp(in->categories, "auto") == 0 : f->encoding->bits > 0;
    f->suffix = in->label_suffix ? in->label_suffix : learned(f, "label_suffix");
    f->decimal_comma = in->decimal_comma || (f->like && json_is_true(json_object_get(f->like, "decimal_comma")));
    if (strcmp(f->format, commas.format) == 0 && choose_separator(f, separator, e) < 0)
        return -1;
    if (f->decimal_comma && f->record.separator == ',')
        return err_set(e, ERR_USAGE, "%s: --decimal-comma needs another --separator", f->header.file);
    if (in->labels != NULL && in->label_column != NULL)
        return err_set(e, ERR_USAGE, "%s: --labels and --label-column: labels are in one of them", f->header.file);
    return 0;
}

/* Labels in a file of their own, of which there must be one for each row. */
static int open_labels(struct csv *f, const struct input *in, struct err *e)
{
    if (in->labels == NULL)
        return 0;
    if (builder_count(f->builder) > 0)
        return err_set(e, ERR_USAGE, "%s: --labels belong to one file, this is another", f->header.file);
    if (source_open(&f->label_source, in->labels, NULL, e) < 0)
        return -1;
    source_limit(&f->label_source, in->max_ratio);
    int more = source_next(&f->label_source, e);
    f->labels.lines.source = &f->label_source;
    f->labels.separator = f->record.separator;
    return more == 0 ? err_set(e, ERR_DATA, "%s: no labels: it is empty", f->label_source.path) : more > 0 ? 0 : -1;
}

static int open_reader(struct csv *f, const struct input *in, const struct separated *how, struct err *e)
{
    if (choose(f, in, e) < 0 || open_labels(f, in, e) < 0)
        return -1;
    if (in->label_column != NULL || in->labels != NULL || f->optional ||
        (f->like && json_object_get(f->like, "label_column") != NULL))
        return 0;
    return err_set(e, ERR_USAGE, "%s: %s needs --label-column NAME|NUMBER, or --labels FILE", f->header.file,
                   how->name);
}

static void *open_separated(struct source *s, struct builder *b, const struct input *in,
                            const struct separated *how, struct err *e)
{
    struct csv *f = mem_new(1, sizeof *f, e);
    if (f == NULL)
        return NULL;
    f->format = how->format;
    f->in = in;
    if (format_is_table(json_string_value(json_object_get(in->like, "format"))))
        f->like = in->like;
    f->record.lines.source = s;
    f->record.separator = how->separator;
    f->builder = b;
    f->encoding = b->encoding;
    f->header.file = s->name;
    f->header.line = 1;
    if (open_reader(f, in, how, e) == 0)
        return f;
    csv_close(f);
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

static const char *separator_text(const struct csv *f, char text[2])
{
    text[0] = f->record.separator;
    text[1] = '\0';
    return f->record.separator == FIELDS_BLANKS ? "blanks" : f->record.separator == '\t' ? "tab" : text;
}

static json_t *csv_meta(const void *self)
{
    const struct csv *f = self;
    char text[2];
    if (f->feature == NULL)
        return NULL;
    json_t *meta = csv_columns_meta(f);
    if (strcmp(f->format, commas.format) == 0 && f->record.separator != commas.separator)
        json_object_set_new(meta, "separator", json_string(separator_text(f, text)));
    if (f->decimal_comma)
        json_object_set_new(meta, "decimal_comma", json_true());
    if (f->suffix != NULL)
        json_object_set_new(meta, "label_suffix", json_string(f->suffix));
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
    .plug = { .name = "csv", .help = "cells between commas, a row a line, one column a label" },
    .table = true,
    .bid = csv_bid,
    .open = csv_open,
    .next = csv_next,
    .close = csv_close,
    .meta = csv_meta,
};

const struct format format_tsv = {
    .plug = { .name = "tsv", .help = "the same between tabs" },
    .table = true,
    .bid = tsv_bid,
    .open = tsv_open,
    .next = csv_next,
    .close = csv_close,
    .meta = csv_meta,
};
