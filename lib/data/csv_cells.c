/* The cells of a record become a row: numbers, categories, what is missing, and the label. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "data/csv.h"

enum { SHOWN = 40 /* bytes of a bad text that a message shows */ };

static int shown(const struct cell *cell)
{
    return cell->n < SHOWN ? (int)cell->n : SHOWN;
}

/* Whether all of the text is a number, as num_float takes it. */
static bool take_number(const struct csv *f, char *text, size_t n, float *v)
{
    char *end = text + n, *comma = f->decimal_comma ? memchr(text, ',', n) : NULL;
    if (n == 0 || (f->decimal_comma && memchr(text, '.', n) != NULL))
        return false;
    if (comma != NULL)
        *comma = '.';
    bool whole = num_float(text, end, v) == end;
    if (comma != NULL)
        *comma = ',';
    return whole;
}

/* What would make a number of it, or something else. */
static const char *advice(const struct csv *f, const struct column *column, const struct cell *cell)
{
    if (!f->decimal_comma && f->record.separator != ',' && texts_numberlike(cell->text, cell->n) &&
        memchr(cell->text, ',', cell->n) != NULL)
        return " (--decimal-comma)";
    if (f->encoding->fixed)
        return "";
    if (column->kind == COLUMN_UNKNOWN)
        return " (--categories takes columns of text, --drop-columns leaves them out)";
    return " (--categories, if the column is one)";
}

static int blame(const struct csv *f, const struct column *column, const struct cell *cell, struct err *e)
{
    const char *name = column->name;
    float v;
    if (cell->n == 0)
        return err_set(e, ERR_DATA, "column '%s': the value is missing" MISSING_ADVICE, name);
    if (missing_text(&f->encoding->missing, cell->text, cell->n) ||
        (take_number(f, cell->text, cell->n, &v) && missing_number(&f->encoding->missing, v)))
        return err_set(e, ERR_DATA, "column '%s': '%.*s': the value is missing" MISSING_ADVICE, name, shown(cell),
                       cell->text);
    if (take_number(f, cell->text, cell->n, &v))
        return err_set(e, ERR_DATA, "column '%s': '%.*s' is not a finite float", name, shown(cell), cell->text);
    return err_set(e, ERR_DATA, "column '%s': '%.*s' is not a number%s", name, shown(cell), cell->text,
                   advice(f, column, cell));
}

/* What the column takes the text for. A column that is nothing yet becomes what its first value is. */
static int judge(const struct csv *f, struct column *column, struct cell *cell, struct err *e)
{
    const struct missing *m = &f->encoding->missing;
    bool category = column->kind == COLUMN_CATEGORY;
    bool number = take_number(f, cell->text, cell->n, &cell->v);
    cell->category = false;
    if (number ? missing_number(m, cell->v) : missing_text(m, cell->text, cell->n)) {
        cell->v = NAN;
        return m->rule == MISSING_ERROR ? blame(f, column, cell, e) : 0;
    }
    if (number && !category) {
        column->kind = COLUMN_NUMBER;
        return isfinite(cell->v) ? 0 : blame(f, column, cell, e);
    }
    if (!category && (column->kind == COLUMN_NUMBER || !f->automatic || texts_numberlike(cell->text, cell->n)))
        return blame(f, column, cell, e);
    column->kind = COLUMN_CATEGORY;
    cell->category = true;
    return 0;
}

static struct place place_of(const struct csv *f)
{
    return (struct place){ f->header.file, ":", f->record.lines.line };
}

static int put_dense(struct csv *f, size_t j, const struct cell *cell, struct err *e)
{
    struct builder *b = f->builder;
    float *to = b->x + b->n * b->features + j;
    *to = cell->v;
    return cell->category ? encoding_code(f->encoding, j, cell->text, cell->n, place_of(f), to, e) : 0;
}

/* A number at the place of its column, a category at one of its own; zeros are left out. */
static int put_hashed(struct csv *f, size_t j, const struct cell *cell, struct err *e)
{
    struct builder *b = f->builder;
    (void)e;
    if (!cell->category && cell->v == 0)
        return 0;
    b->indices[b->entries] = encoding_hash(f->encoding, j, cell->category ? cell->text : NULL, cell->n);
    b->values[b->entries++] = cell->category ? 1 : cell->v;
    return 0;
}

/* All cells but the label's; *missing: some value is. */
static int put_cells(struct csv *f, bool *missing, struct err *e)
{
    int (*const put)(struct csv *, size_t, const struct cell *, struct err *) =
        f->encoding->bits > 0 ? put_hashed : put_dense;
    for (size_t i = 0; i < f->record.n; i++) {
        long j = f->feature[i];
        struct cell cell;
        if (j == CSV_LABEL || j == CSV_WEIGHT || j == CSV_LEFT_OUT)
            continue;
        cell.text = fields_text(&f->record, i, &cell.n);
        if (j == CSV_NAMELESS && cell.n > 0)
            return err_set(e, ERR_DATA, "'%.*s' stands in column %zu, which has no name", shown(&cell), cell.text,
                           i + 1);
        if (j == CSV_NAMELESS)
            continue;
        if (judge(f, &f->encoding->v[j], &cell, e) < 0 || put(f, (size_t)j, &cell, e) < 0)
            return -1;
        *missing = *missing || (!cell.category && isnan(cell.v));
    }
    return 0;
}

/* A label that nobody asks for. */
static struct cell no_label(struct csv *f)
{
    strcpy(f->none, "0");
    return (struct cell){ .text = f->none, .n = 1 };
}

/* The text of the label, in its column or its file. */
static int find_label(struct csv *f, struct cell *label, struct err *e)
{
    *label = no_label(f);
    if (f->label != SIZE_MAX)
        label->text = fields_text(&f->record, f->label, &label->n);
    if (f->labels.lines.source == NULL)
        return 0;
    int more = fields_next(&f->labels, e);
    if (more < 0)
        return -1;
    if (more == 0)
        return err_set(e, ERR_DATA, "%s has %zu labels, fewer than there are rows", f->label_source.path,
                       f->rows - 1);
    if (f->labels.n != 1)
        return err_set(e, ERR_DATA, "%s:%zu: %zu fields, a label is one", f->label_source.path,
                       f->labels.lines.line, f->labels.n);
    label->text = fields_text(&f->labels, 0, &label->n);
    return 0;
}

static void leave_suffix(const struct csv *f, struct cell *label)
{
    size_t n = f->suffix ? strlen(f->suffix) : 0;
    if (n > 0 && n < label->n && memcmp(label->text + label->n - n, f->suffix, n) == 0)
        label->n -= n;
}

static bool lacks_label(const struct csv *f, const struct cell *label)
{
    const struct missing *m = &f->encoding->missing;
    float v;
    if (take_number(f, label->text, label->n, &v))
        return missing_number(m, v);
    return missing_text(m, label->text, label->n);
}

/* A label that is a number with a decimal comma gets a point. */
static void point_out(const struct csv *f, struct cell *label)
{
    float v;
    char *comma = f->decimal_comma ? memchr(label->text, ',', label->n) : NULL;
    if (comma != NULL && take_number(f, label->text, label->n, &v))
        *comma = '.';
}

/* 1: the label stands where the next row is; 0: it is missing, and the row is left out. */
static int put_label(struct csv *f, struct cell *label, struct err *e)
{
    struct builder *b = f->builder;
    leave_suffix(f, label);
    if (lacks_label(f, label)) {
        if (f->in->unlabelled)
            *label = no_label(f);
        else if (f->encoding->missing.rule == MISSING_ERROR)
            return err_set(e, ERR_DATA, "the label is missing" MISSING_ADVICE);
        else
            return remark(&f->encoding->unlabelled, place_of(f), "", e);
    }
    point_out(f, label);
    return labels_put(&b->spellings, label->text, label->n, place_of(f), b->labels, b->n, e) < 0 ? -1 : 1;
}

/* Of a file without weights each row counts for one. */
static int put_weight(struct csv *f, struct err *e)
{
    struct builder *b = f->builder;
    struct cell cell;
    if (!b->weighted)
        return 0;
    b->weights[b->n] = 1;
    if (f->weight == SIZE_MAX)
        return 0;
    cell.text = fields_text(&f->record, f->weight, &cell.n);
    if (take_number(f, cell.text, cell.n, &b->weights[b->n]) && isfinite(b->weights[b->n]) && b->weights[b->n] >= 0)
        return 0;
    return err_set(e, ERR_DATA, "weight '%.*s': weights are finite numbers from 0 on", shown(&cell), cell.text);
}

static int end_row(struct csv *f, struct err *e)
{
    struct builder *b = f->builder;
    if (f->encoding->bits > 0)
        return builder_end_sparse(b, 0, place_of(f), e);
    b->n++;
    return 0;
}

int csv_end_row(struct csv *f, struct cell *label, struct err *e)
{
    int status = put_label(f, label, e);
    if (status > 0)
        return put_weight(f, e) < 0 ? -1 : end_row(f, e);
    return status;
}

int csv_put_row(struct csv *f, struct err *e)
{
    struct builder *b = f->builder;
    struct cell label;
    bool missing = false;
    if (builder_room(b, f->encoding->bits > 0 ? f->features : 1, e) < 0)
        return -1;
    size_t before = b->entries, rows = b->n;
    int status = put_cells(f, &missing, e);
    if (status == 0)
        status = find_label(f, &label, e);
    if (status == 0 && missing && f->encoding->missing.rule == MISSING_DROP)
        status = remark(&f->encoding->dropped, place_of(f), "", e);
    else if (status == 0)
        status = csv_end_row(f, &label, e);
    if (b->n == rows)
        b->entries = before;
    return status;
}
