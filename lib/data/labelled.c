/* Arrays of rows with their labels. */
#include "data/labelled.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/mem.h"
#include "base/num.h"
#include "data/encoding.h"

enum { BLOCK = BLOCK_SIZE(1 << 18, 256) }; /* bytes of rows that are read at a time */

/* An array of one number a row, all of it. */
static int load_single(struct array *a, const char *what, struct err *e)
{
    if (a->width != 1)
        return err_set(e, ERR_DATA, "%s: %llu numbers a row, a %s is one", a->name,
                       (unsigned long long)a->width, what);
    return array_load(a, e);
}

static int load_labels(struct array *y, struct err *e)
{
    return load_single(y, "label", e);
}

static int read_labels(struct labelled *l, const struct input *in, struct err *e)
{
    struct source s = { 0 };
    if (source_open(&s, in->labels, NULL, e) < 0)
        return -1;
    source_limit(&s, in->max_ratio);
    int status = source_next(&s, e);
    if (status == 0)
        status = err_set(e, ERR_DATA, "%s: no labels: it is empty", s.path);
    if (status > 0)
        status = array_open(&l->y, &s, e);
    if (status == 0)
        status = load_labels(&l->y, e);
    source_close(&s);
    l->y.source = NULL;
    return status;
}

/* The column by what the options say, else by what a model learned from. */
static int choose_column(struct labelled *l, const struct input *in, struct err *e)
{
    const json_t *like = in->like ? json_object_get(in->like, "label_column") : NULL;
    if (in->label_column == NULL) {
        l->label = (uint64_t)json_integer_value(like);
        return 0;
    }
    if (num_whole(in->label_column, &l->label, e) < 0)
        return err_ctx(e, "%s: --label-column '%s': columns of an array have numbers, from 1",
                       l->x.name, in->label_column);
    return 0;
}

/* Whether the labels are a column of x. */
static bool in_column(const struct labelled *l)
{
    return l->y.name == NULL && l->label > 0;
}

/* Whether a column can be taken out of its rows. */
static bool has_columns(const struct array *x)
{
    return x->n_dims == 2 && x->width > 1;
}

static int find_column(struct labelled *l, const struct input *in, struct err *e)
{
    const struct array *x = &l->x;
    if (choose_column(l, in, e) < 0)
        return -1;
    if (in->unlabelled && in->label_column == NULL && (l->label == 0 || x->width == l->builder->limit)) {
        l->label = 0;
        return 0;
    }
    if (in->label_column == NULL && l->label == 0)
        return err_set(e, ERR_USAGE, "%s: %s needs --labels FILE%s", x->name, x->kind->name,
                       has_columns(x) ? ", or --label-column NUMBER" : "");
    if (!has_columns(x))
        return err_set(e, ERR_DATA, "%s: --label-column needs two dimensions and two columns", x->name);
    if (l->label < 1 || l->label > x->width)
        return err_set(e, ERR_DATA, "%s: no column %llu: they count from 1 to %llu", x->name,
                       (unsigned long long)l->label, (unsigned long long)x->width);
    return 0;
}

static int find_labels(struct labelled *l, const struct input *in, struct err *e)
{
    if (l->y.name != NULL)
        return load_labels(&l->y, e);
    if (in->labels == NULL)
        return find_column(l, in, e);
    if (builder_count(l->builder) > 0)
        return err_set(e, ERR_USAGE, "%s: --labels belong to one %s file, this is another", l->x.name,
                       l->x.kind->name);
    return read_labels(l, in, e);
}

int labelled_find(struct labelled *l, struct builder *b, const struct input *in, struct err *e)
{
    l->builder = b;
    l->first = builder_count(b);
    if (l->weights.name != NULL && load_single(&l->weights, "weight", e) < 0)
        return -1;
    return find_labels(l, in, e);
}

int labelled_begin(struct labelled *l, struct builder *b, const struct input *in, struct err *e)
{
    const struct array *x = &l->x;
    if (x->n_dims < 2)
        return err_set(e, ERR_DATA, "%s: one dimension; rows need two or more", x->name);
    if (labelled_find(l, b, in, e) < 0)
        return -1;
    bool bytes = x->element.kind == ELEMENT_UNSIGNED && x->element.size == 1;
    if (builder_begin(b, x->kind->name, bytes ? ROWS_BYTES : ROWS_DENSE,
                      (size_t)x->width - in_column(l), e) < 0)
        return err_ctx(e, "%s", x->name);
    b->scale = bytes ? x->kind->byte : 1;
    if (l->weights.name != NULL && builder_weigh(b, e) < 0)
        return -1;
    l->at_once = BLOCK / (x->width * x->element.size) + 1;
    return 0;
}

/* Column of x that feature j is. */
static uint64_t column_of(const struct labelled *l, uint64_t j)
{
    return in_column(l) && j + 1 >= l->label ? j + 1 : j;
}

static void put_bytes(struct labelled *l, uint64_t i)
{
    struct builder *b = l->builder;
    uint8_t *to = b->bytes + b->n * b->features;
    if (!in_column(l) && !l->x.by_columns) {
        memcpy(to, array_at(&l->x, i, 0), b->features);
        return;
    }
    for (size_t j = 0; j < b->features; j++)
        to[j] = *array_at(&l->x, i, column_of(l, j));
}

static int put_floats(struct labelled *l, uint64_t i, struct err *e)
{
    struct builder *b = l->builder;
    const struct missing *m = &b->encoding->missing;
    float *to = b->x + b->n * b->features;
    l->missing = false;
    for (size_t j = 0; j < b->features; j++) {
        to[j] = (float)element_get(&l->x.element, array_at(&l->x, i, column_of(l, j)));
        bool missing = missing_number(m, to[j]);
        if (missing && m->rule != MISSING_ERROR)
            to[j] = NAN;
        else if (missing || !isfinite(to[j]))
            return err_set(e, ERR_DATA, "%s: row %zu: number %llu is %s", l->x.name, builder_count(b) - l->first + 1,
                           (unsigned long long)column_of(l, j) + 1,
                           missing ? "missing" MISSING_ADVICE : "not a finite float");
        l->missing = l->missing || missing;
    }
    return 0;
}

/* The label of row i of those in hand; a row too many is noticed at the end, when the rows proved whole. */
static int put_label(struct labelled *l, uint64_t i, struct err *e)
{
    struct builder *b = l->builder;
    const struct array *from = l->y.name != NULL ? &l->y : &l->x;
    size_t row = builder_count(b) - l->first;
    struct place at = { from->name, ": row ", row + 1 };
    char text[32];
    const unsigned char *label = NULL;
    if (in_column(l))
        label = array_at(from, i, l->label - 1);
    else if (l->y.name != NULL && row < from->rows)
        label = array_at(from, row, 0);
    int n = snprintf(text, sizeof text, "%.17g", label ? element_get(&from->element, label) : 0);
    if (label != NULL && !element_exact(&from->element, label))
        return err_set(e, ERR_DATA, "%s: row %zu: the label, about %s" LABELS_ROUNDED, from->name, row + 1, text);
    if (labels_put(&b->spellings, text, (size_t)n, at, b->labels, b->n, e) < 0)
        return err_ctx(e, "%s: row %zu", from->name, row + 1);
    return 0;
}

/* That of row `row` of the file; of the rows of a file without, 1. */
static int put_weight(struct labelled *l, size_t row, struct err *e)
{
    struct builder *b = l->builder;
    const struct array *w = &l->weights;
    if (!b->weighted)
        return 0;
    double weight = w->name != NULL && row < w->rows ? element_get(&w->element, array_at(w, row, 0)) : 1;
    b->weights[b->n] = (float)weight;
    if (weight >= 0 && isfinite(b->weights[b->n]))
        return 0;
    return err_set(e, ERR_DATA, "%s: row %zu: weight %g: weights are finite numbers from 0 on", w->name, row + 1, weight);
}

int labelled_put(struct labelled *l, uint64_t i, struct err *e)
{
    return put_label(l, i, e) < 0 ? -1 : put_weight(l, builder_count(l->builder) - l->first, e);
}

static int same_count(const struct array *x, const struct array *other, const char *what, struct err *e)
{
    if (other->name == NULL || x->rows == other->rows)
        return 0;
    return err_set(e, ERR_DATA, "%s has %llu rows, %s has %llu %s", x->name, (unsigned long long)x->rows, other->name,
                   (unsigned long long)other->rows, what);
}

int labelled_check(const struct labelled *l, struct err *e)
{
    return same_count(&l->x, &l->y, "labels", e) < 0 ? -1 : same_count(&l->x, &l->weights, "weights", e);
}

int labelled_leave_out(struct labelled *l, struct err *e)
{
    struct place at = { l->x.name, ": row ", builder_count(l->builder) - l->first-- + 1 };
    return remark(&l->builder->encoding->dropped, at, "", e);
}

int labelled_next(void *self, struct err *e)
{
    struct labelled *l = self;
    struct builder *b = l->builder;
    uint64_t got;
    if (array_next(&l->x, l->at_once, &got, e) < 0)
        return -1;
    if (got == 0)
        return labelled_check(l, e);
    if (builder_room(b, got, e) < 0)
        return -1;
    for (uint64_t i = 0; i < got; i++) {
        if (b->kind == ROWS_BYTES)
            put_bytes(l, i);
        else if (put_floats(l, i, e) < 0)
            return -1;
        if (l->missing && b->encoding->missing.rule == MISSING_DROP) {
            if (labelled_leave_out(l, e) < 0)
                return -1;
            continue;
        }
        if (labelled_put(l, i, e) < 0)
            return -1;
        b->n++;
    }
    return 1;
}

/* Height, width and channels, where each row is one plane, or 1 or 3 of them. */
static json_t *shape(const struct array *x)
{
    if (x->n_dims == 3)
        return json_pack("[I, I, i]", (json_int_t)x->dims[1], (json_int_t)x->dims[2], 1);
    if (x->n_dims == 4 && (x->dims[1] == 1 || x->dims[1] == 3))
        return json_pack("[I, I, I]", (json_int_t)x->dims[2], (json_int_t)x->dims[3],
                         (json_int_t)x->dims[1]);
    return NULL;
}

json_t *labelled_meta(const void *self)
{
    const struct labelled *l = self;
    json_t *meta = json_pack("{s:s, s:o*}", "format", l->x.kind->name, "shape", shape(&l->x));
    if (in_column(l))
        json_object_set_new(meta, "label_column", json_integer((json_int_t)l->label));
    return meta;
}

void labelled_free(struct labelled *l)
{
    array_close(&l->x);
    array_close(&l->y);
    array_close(&l->weights);
}

void labelled_close(void *self)
{
    labelled_free(self);
    free(self);
}

void *labelled_open(struct source *s, struct builder *b, const struct input *in, struct err *e)
{
    struct labelled *l = mem_new(1, sizeof *l, e);
    if (l == NULL)
        return NULL;
    if (array_open(&l->x, s, e) == 0 && labelled_begin(l, b, in, e) == 0)
        return l;
    labelled_close(l);
    return NULL;
}
