/* SciPy's sparse matrices: every form is a walk over its entries, which is made twice: to count them in each row, and
 * to put them there. */
#include "data/sparse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char *const names[SPARSE_PARTS] = { "data", "shape", "indices", "indptr", "row", "col", "offsets" };

/* One of the two walks over a matrix. */
struct walk {
    struct sparse *m;
    bool put; /* the second */
    struct err *e;
};

/* --- numbers of the arrays --- */

static double real_at(const struct sparse *m, enum sparse_part part, uint64_t i)
{
    const struct array *a = &m->part[part];
    return element_get(&a->element, array_at(a, i / a->width, i % a->width));
}

/* A whole number below `limit`. */
static int index_at(const struct sparse *m, enum sparse_part part, uint64_t i, uint64_t limit, uint64_t *v,
                    struct err *e)
{
    double got = real_at(m, part, i);
    if (!(got >= 0 && got < (double)limit && got == floor(got)))
        return err_set(e, ERR_DATA, "%s: '%s' has %.17g at %llu: whole numbers below %llu stand there", m->where,
                       names[part], got, (unsigned long long)i, (unsigned long long)limit);
    *v = (uint64_t)got;
    return 0;
}

static int visit(struct walk *w, uint64_t row, uint64_t col, uint64_t at)
{
    struct sparse *m = w->m;
    double value = real_at(m, SPARSE_DATA, at);
    if (row >= m->rows || col >= m->cols)
        return err_set(w->e, ERR_DATA, "%s: an entry at (%llu, %llu) of a matrix of %llu x %llu", m->where,
                       (unsigned long long)row, (unsigned long long)col, (unsigned long long)m->rows,
                       (unsigned long long)m->cols);
    if (!w->put) {
        m->indptr[row + 1]++;
        return 0;
    }
    int64_t to = m->indptr[row]++;
    m->indices[to] = (int32_t)col;
    bool missing = missing_number(m->missing, (float)value);
    m->values[to] = missing ? NAN : (float)value;
    if (missing ? m->missing->rule != MISSING_ERROR : isfinite(m->values[to]))
        return 0;
    return err_set(w->e, ERR_DATA, "%s: row %llu: column %llu is %s", m->where, (unsigned long long)row + 1,
                   (unsigned long long)col + 1, missing ? "missing" MISSING_ADVICE : "not a finite float");
}

/* --- the forms --- */

/* Where the entries of line i of csr, csc or bsr begin and end. */
static int span(const struct walk *w, uint64_t i, uint64_t *begin, uint64_t *end)
{
    const struct sparse *m = w->m;
    uint64_t n = m->part[SPARSE_INDICES].rows;
    if (index_at(m, SPARSE_INDPTR, i, n + 1, begin, w->e) < 0 ||
        index_at(m, SPARSE_INDPTR, i + 1, n + 1, end, w->e) < 0)
        return -1;
    return *begin <= *end ? 0 : err_set(w->e, ERR_DATA, "%s: 'indptr' does not ascend", m->where);
}

static int walk_lines(struct walk *w, bool by_columns)
{
    const struct sparse *m = w->m;
    uint64_t lines = by_columns ? m->cols : m->rows, across = by_columns ? m->rows : m->cols;
    for (uint64_t i = 0; i < lines; i++) {
        uint64_t at, end, j = 0;
        if (span(w, i, &at, &end) < 0)
            return -1;
        for (; at < end; at++)
            if (index_at(m, SPARSE_INDICES, at, across, &j, w->e) < 0 ||
                visit(w, by_columns ? j : i, by_columns ? i : j, at) < 0)
                return -1;
    }
    return 0;
}

static int walk_csr(struct walk *w)
{
    return walk_lines(w, false);
}

static int walk_csc(struct walk *w)
{
    return walk_lines(w, true);
}

static int walk_coo(struct walk *w)
{
    const struct sparse *m = w->m;
    for (uint64_t at = 0; at < m->part[SPARSE_DATA].rows; at++) {
        uint64_t i = 0, j = 0;
        if (index_at(m, SPARSE_ROW, at, m->rows, &i, w->e) < 0 ||
            index_at(m, SPARSE_COL, at, m->cols, &j, w->e) < 0 || visit(w, i, j, at) < 0)
            return -1;
    }
    return 0;
}

/* The numbers of a block that are not 0. */
static int walk_block(struct walk *w, uint64_t block, uint64_t row, uint64_t col)
{
    const uint64_t *dims = w->m->part[SPARSE_DATA].dims, size = dims[1] * dims[2];
    for (uint64_t k = 0; k < size; k++)
        if (real_at(w->m, SPARSE_DATA, block * size + k) != 0 &&
            visit(w, row * dims[1] + k / dims[2], col * dims[2] + k % dims[2], block * size + k) < 0)
            return -1;
    return 0;
}

/* data: (blocks, height, width). */
static int walk_bsr(struct walk *w)
{
    const struct sparse *m = w->m;
    uint64_t lines = m->rows / m->part[SPARSE_DATA].dims[1];
    for (uint64_t i = 0; i < lines; i++) {
        uint64_t at, end, j = 0;
        if (span(w, i, &at, &end) < 0)
            return -1;
        for (; at < end; at++)
            if (index_at(m, SPARSE_INDICES, at, m->cols, &j, w->e) < 0 || walk_block(w, at, i, j) < 0)
                return -1;
    }
    return 0;
}

/* data: (diagonals, length): number j of diagonal k stands at (j - offsets[k], j). */
static int walk_dia(struct walk *w)
{
    const struct sparse *m = w->m;
    uint64_t length = m->part[SPARSE_DATA].width;
    for (uint64_t k = 0; k < m->part[SPARSE_DATA].rows; k++) {
        double offset = real_at(m, SPARSE_OFFSETS, k);
        for (uint64_t j = 0; j < length && j < m->cols; j++) {
            double i = (double)j - offset;
            if (i >= 0 && i < (double)m->rows && real_at(m, SPARSE_DATA, k * length + j) != 0 &&
                visit(w, (uint64_t)i, j, k * length + j) < 0)
                return -1;
        }
    }
    return 0;
}

/* How to walk over each, and what that needs beside data and shape. */
static const struct sparse_form {
    const char *name;
    unsigned dims; /* of data */
    enum sparse_part needs[2];
    int (*walk)(struct walk *w);
} forms[] = {
    { "csr", 1, { SPARSE_INDICES, SPARSE_INDPTR }, walk_csr },
    { "csc", 1, { SPARSE_INDICES, SPARSE_INDPTR }, walk_csc },
    { "coo", 1, { SPARSE_ROW, SPARSE_COL }, walk_coo },
    { "bsr", 3, { SPARSE_INDICES, SPARSE_INDPTR }, walk_bsr },
    { "dia", 2, { SPARSE_OFFSETS, SPARSE_OFFSETS }, walk_dia },
};

/* Numbers that a part of a form has. */
static uint64_t length_of(const struct sparse *m, const struct sparse_form *f, enum sparse_part part)
{
    uint64_t lines = f->walk == walk_csc ? m->cols : m->rows;
    if (part != SPARSE_INDPTR)
        return m->part[SPARSE_DATA].rows;
    return (f->walk == walk_bsr ? lines / m->part[SPARSE_DATA].dims[1] : lines) + 1;
}

static int check_part(const struct sparse *m, const struct sparse_form *f, enum sparse_part part, struct err *e)
{
    const struct array *a = &m->part[part];
    uint64_t length = length_of(m, f, part);
    if (a->name == NULL)
        return err_set(e, ERR_DATA, "%s: a matrix of form '%s' without an array '%s'", m->where, f->name, names[part]);
    if (a->n_dims != 1 || a->rows != length)
        return err_set(e, ERR_DATA, "%s: '%s' of a matrix of form '%s' has %llu numbers, not %llu", m->where,
                       names[part], f->name, (unsigned long long)(a->rows * a->width), (unsigned long long)length);
    return 0;
}

static int check_shape(struct sparse *m, struct err *e)
{
    const struct array *shape = &m->part[SPARSE_SHAPE];
    if (shape->name == NULL || shape->n_dims != 1 || shape->rows != 2)
        return err_set(e, ERR_DATA, "%s: a sparse matrix without a shape of two dimensions", m->where);
    if (index_at(m, SPARSE_SHAPE, 0, UINT64_C(1) << 48, &m->rows, e) < 0)
        return -1;
    return index_at(m, SPARSE_SHAPE, 1, INT32_MAX, &m->cols, e);
}

static const struct sparse_form *form_of(struct sparse *m, struct err *e)
{
    const struct sparse_form *f = NULL;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, m->form) == 0)
            f = &forms[i];
    const struct array *data = &m->part[SPARSE_DATA];
    if (f == NULL)
        err_set(e, ERR_DATA, "%s: a sparse matrix of form '%s': csr, csc, coo, bsr and dia are read", m->where, m->form);
    else if (data->name == NULL || data->n_dims != f->dims)
        err_set(e, ERR_DATA, "%s: 'data' of a matrix of form '%s' must have %u dimensions", m->where, f->name, f->dims);
    else if (check_shape(m, e) == 0 && check_part(m, f, f->needs[0], e) == 0 && check_part(m, f, f->needs[1], e) == 0)
        return f;
    return NULL;
}

/* --- into rows --- */

/* Counts in indptr[1 ..] become places: of the first entry of each row, which putting moves on to the next row's. */
static uint64_t places(struct sparse *m)
{
    int64_t sum = 0;
    for (uint64_t i = 0; i <= m->rows; i++) {
        sum += m->indptr[i];
        m->indptr[i] = sum;
    }
    return (uint64_t)sum;
}

int sparse_bring(struct sparse *m, struct err *e)
{
    const struct sparse_form *f = m->how;
    struct walk w = { .m = m, .e = e };
    if (mem_fits((double)m->rows * sizeof *m->indptr, e, "%s: the places of %llu rows", m->where,
                 (unsigned long long)m->rows) < 0)
        return -1;
    m->indptr = mem_new((size_t)m->rows + 1, sizeof *m->indptr, e);
    if (m->indptr == NULL || f->walk(&w) < 0)
        return -1;
    uint64_t entries = places(m);
    m->indices = mem_new((size_t)entries, sizeof *m->indices, e);
    m->values = mem_new((size_t)entries, sizeof *m->values, e);
    w.put = true;
    if (m->indices == NULL || m->values == NULL || f->walk(&w) < 0)
        return -1;
    memmove(m->indptr + 1, m->indptr, (size_t)m->rows * sizeof *m->indptr);
    m->indptr[0] = 0;
    return 0;
}

int sparse_open(struct sparse *m, const char *where, struct err *e)
{
    m->where = where;
    m->how = form_of(m, e);
    return m->how == NULL ? -1 : 0;
}

/* "format": a text, one byte or four a character; its bytes that are not 0. */
static int take_form(struct sparse *m, struct source *s, struct err *e)
{
    enum { VERSION = 6, LENGTH = 8, START = 10 };
    unsigned char text[4096];
    size_t got, n = 0;
    if (source_read(s, text, sizeof text, &got, e) < 0)
        return -1;
    size_t begin = got < START || text[VERSION] != 1 ? got : START + text[LENGTH] + 256u * text[LENGTH + 1];
    for (size_t i = begin; i < got && n + 1 < sizeof m->form; i++)
        if (text[i] != 0)
            m->form[n++] = text[i] >= 'a' && text[i] <= 'z' ? (char)text[i] : '?';
    if (n == 0)
        m->form[n++] = '?';
    m->form[n] = '\0';
    return 1;
}

int sparse_take(struct sparse *m, struct source *s, const char *name, struct err *e)
{
    if (strcmp(name, "format") == 0)
        return take_form(m, s, e);
    for (enum sparse_part i = 0; i < SPARSE_PARTS; i++) {
        struct array *a = &m->part[i];
        if (strcmp(name, names[i]) != 0)
            continue;
        if (a->name != NULL)
            return err_set(e, ERR_DATA, "%s: a second array of that name", s->name);
        return array_open(a, s, e) < 0 || array_load(a, e) < 0 ? -1 : 1;
    }
    return 0;
}

int sparse_row(const struct sparse *m, uint64_t row, struct builder *b, bool *missing, struct err *e)
{
    size_t at = (size_t)m->indptr[row], n = (size_t)m->indptr[row + 1] - at;
    if (builder_room(b, n, e) < 0)
        return -1;
    memcpy(b->indices + b->entries, m->indices + at, n * sizeof *m->indices);
    memcpy(b->values + b->entries, m->values + at, n * sizeof *m->values);
    b->entries += n;
    *missing = false;
    for (size_t k = 0; k < n; k++)
        *missing = *missing || isnan(m->values[at + k]);
    return 0;
}

void sparse_free(struct sparse *m)
{
    for (enum sparse_part i = 0; i < SPARSE_PARTS; i++)
        array_close(&m->part[i]);
    free(m->indptr);
    free(m->indices);
    free(m->values);
}
