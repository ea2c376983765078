/* NumPy's .npz: a zip archive of arrays, of which one is the rows and one the labels; or the arrays of a sparse matrix
 * of SciPy's. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/encoding.h"
#include "data/format.h"
#include "data/labelled.h"
#include "data/named.h"
#include "data/sparse.h"

enum { ROWS_AT_ONCE = 1024 }; /* of a sparse matrix */

struct npz {
    struct named named;
    struct labelled rows;
    struct sparse sparse;
    char *where;  /* the archive */
    uint64_t row; /* of the sparse matrix, the next one */
    struct builder *builder;
};

static bool is_sparse(const struct npz *z)
{
    return z->sparse.form[0] != '\0';
}

/* "x" of "x.npy". */
static char *stem(const char *member, struct err *e)
{
    size_t n = strlen(member);
    bool npy = n > 4 && strcmp(member + n - 4, ".npy") == 0;
    return mem_print(e, "%.*s", (int)(npy ? n - 4 : n), member);
}

/* An array that no option names, of no known name: it may be the only one of its shape. Of what cannot be read nobody
 * needs to hear. */
static int take_other(struct npz *z, struct source *s, struct err *e)
{
    struct array a = { 0 };
    struct err ignored = { 0 };
    if (array_open(&a, s, &ignored) < 0) {
        array_close(&a);
        return 0;
    }
    enum named_part part = named_guess(&z->named, &a);
    if (part < NAMED_PARTS && array_load(&a, e) == 0)
        return named_put(&z->named, part, false, &a, e);
    array_close(&a);
    return e->kind == ERR_OK ? 0 : -1;
}

static int take_array(struct npz *z, struct source *s, const char *name, struct err *e)
{
    int of_matrix = named_asked(&z->named, name) ? 0 : sparse_take(&z->sparse, s, name, e);
    if (of_matrix != 0)
        return of_matrix < 0 ? -1 : 0;
    enum named_part part = named_find(&z->named, name);
    if (part == NAMED_PARTS)
        return take_other(z, s, e);
    struct array a = { 0 };
    if (array_open(&a, s, e) == 0 && array_load(&a, e) == 0 && named_put(&z->named, part, true, &a, e) == 0)
        return 0;
    array_close(&a);
    return -1;
}

static int take_member(struct npz *z, struct source *s, struct err *e)
{
    if (!array_npy.bid(s->head, s->head_n))
        return 0;
    char *name = stem(s->member, e);
    if (name == NULL)
        return -1;
    int status = named_note(&z->named, name, e) < 0 ? -1 : take_array(z, s, name, e);
    free(name);
    return status;
}

/* All members; the source stands before one. */
static int take_members(struct npz *z, struct source *s, struct err *e)
{
    int more = 1;
    while (more > 0) {
        if (take_member(z, s, e) < 0)
            return -1;
        more = source_next(s, e);
    }
    return more;
}

/* "data" is no part of a matrix where there is none. */
static int give_back(struct npz *z, struct err *e)
{
    struct array *data = &z->sparse.part[SPARSE_DATA];
    if (data->name == NULL || named_find(&z->named, "data") != NAMED_X)
        return 0;
    return named_put(&z->named, NAMED_X, true, data, e);
}

static int begin_dense(struct npz *z, struct builder *b, const struct input *in, struct err *e)
{
    if (give_back(z, e) < 0 || named_finish(&z->named, &z->rows, NULL, e) < 0)
        return -1;
    return labelled_begin(&z->rows, b, in, e);
}

static int begin_sparse(struct npz *z, struct builder *b, const struct input *in, struct err *e)
{
    struct sparse *m = &z->sparse;
    m->missing = &b->encoding->missing;
    if (in->label_column != NULL)
        return err_set(e, ERR_USAGE, "%s: --label-column: a sparse matrix has its labels in an array of their own: "
                       "--labels FILE", z->where);
    if (sparse_open(m, z->where, e) < 0 || named_finish(&z->named, &z->rows, &m->rows, e) < 0)
        return -1;
    z->rows.x = (struct array){ .kind = &array_npy, .name = mem_text(z->where, e), .rows = m->rows, .width = m->cols,
                                .n_dims = 2 };
    if (z->rows.x.name == NULL || labelled_find(&z->rows, b, in, e) < 0 || labelled_check(&z->rows, e) < 0 ||
        sparse_bring(m, e) < 0)
        return -1;
    if (builder_begin(b, format_npz.plug.name, ROWS_SPARSE, 0, e) < 0)
        return err_ctx(e, "%s", z->where);
    return z->rows.weights.name != NULL ? builder_weigh(b, e) : 0;
}

static void npz_close(void *self)
{
    struct npz *z = self;
    named_free(&z->named);
    labelled_free(&z->rows);
    sparse_free(&z->sparse);
    free(z->where);
    free(z);
}

static int open_archive(struct npz *z, struct source *s, const struct input *in, struct err *e)
{
    z->where = mem_text(s->path, e);
    if (z->where == NULL)
        return -1;
    if (s->member == NULL)
        return err_set(e, ERR_DATA, "%s: no zip archive of arrays", s->name);
    named_begin(&z->named, &format_npz.plug, z->where, in);
    if (take_members(z, s, e) < 0)
        return -1;
    return (is_sparse(z) ? begin_sparse : begin_dense)(z, z->builder, in, e);
}

static void *npz_open(struct source *s, struct builder *b, const struct input *in, struct err *e)
{
    struct npz *z = mem_new(1, sizeof *z, e);
    if (z == NULL)
        return NULL;
    z->builder = b;
    if (open_archive(z, s, in, e) == 0)
        return z;
    npz_close(z);
    return NULL;
}

static int put_sparse(struct npz *z, uint64_t row, struct err *e)
{
    struct builder *b = z->builder;
    struct place at = { z->where, ": row ", (size_t)row + 1 };
    bool missing;
    if (sparse_row(&z->sparse, row, b, &missing, e) < 0)
        return -1;
    if (missing && b->encoding->missing.rule == MISSING_DROP) {
        b->entries = (size_t)b->indptr[b->n];
        return labelled_leave_out(&z->rows, e);
    }
    if (labelled_put(&z->rows, row, e) < 0)
        return -1;
    if (builder_end_sparse(b, 0, at, e) < 0)
        return err_ctx(e, "%s: row %zu", at.file, at.number);
    return 0;
}

static int next_sparse(struct npz *z, struct err *e)
{
    struct builder *b = z->builder;
    uint64_t end = z->row + ROWS_AT_ONCE < z->sparse.rows ? z->row + ROWS_AT_ONCE : z->sparse.rows;
    bool more = z->row < end;
    for (; z->row < end; z->row++)
        if (put_sparse(z, z->row, e) < 0)
            return -1;
    size_t width = b->limit > 0 && z->sparse.cols > b->limit ? b->limit : (size_t)z->sparse.cols;
    b->features = b->features < width ? width : b->features;
    return more;
}

static int npz_next(void *self, struct err *e)
{
    struct npz *z = self;
    return is_sparse(z) ? next_sparse(z, e) : labelled_next(&z->rows, e);
}

static json_t *npz_meta(const void *self)
{
    const struct npz *z = self;
    json_t *meta = is_sparse(z) ? json_object() : labelled_meta(&z->rows), *arrays = named_json(&z->named);
    if (meta != NULL && is_sparse(z))
        json_object_set_new(meta, "format", json_string(format_npz.plug.name));
    if (meta != NULL && arrays != NULL)
        json_object_set(meta, "arrays", arrays);
    json_decref(arrays);
    return meta;
}

/* An array in a zip archive: surer than npy's. */
static int npz_bid(const struct source *s)
{
    return s->zip && array_npy.bid(s->head, s->head_n) ? BID_MAGIC + 1 : BID_NO;
}

const struct format format_npz = {
    .plug = { .name = "npz",
              .help = "arrays of NumPy's in a zip archive, or a sparse matrix of SciPy's, and their labels",
              .params = named_params,
              .conf = sizeof(struct named_conf) },
    .bid = npz_bid,
    .open = npz_open,
    .next = npz_next,
    .close = npz_close,
    .meta = npz_meta,
};
