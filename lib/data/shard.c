/* A shard: rows in a safetensors record. */
#include "data/shard.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

bool shard_bid(const unsigned char *head, size_t n)
{
    return n > 9 && get_u64(head) >= 2 && get_u64(head) <= RECORD_HEADER_MAX && head[8] == '{';
}

/* The tensor of that name, type and shape (cols 0: one dimension). */
static const void *need(const struct shard *s, const char *name, enum dtype dtype, size_t rows,
                        size_t cols, struct err *e)
{
    const struct tensor *t = record_find(&s->record, name);
    if (t == NULL) {
        err_set(e, ERR_DATA, "tensor '%s' is missing", name);
        return NULL;
    }
    if (t->dtype == dtype && t->dims == (cols ? 2u : 1u) && t->shape[0] == rows &&
        (cols == 0 || t->shape[1] == cols))
        return t->data;
    err_set(e, ERR_DATA, "tensor '%s' has the wrong type or shape for %zu rows", name, s->rows.n);
    return NULL;
}

static int take_dense(struct shard *s, struct err *e)
{
    struct rows *r = &s->rows;
    double scale;
    if (record_find(&s->record, "x")->dtype == DTYPE_F32) {
        r->kind = ROWS_DENSE;
        r->x = need(s, "x", DTYPE_F32, r->n, r->features, e);
        return r->x == NULL ? -1 : 0;
    }
    r->kind = ROWS_BYTES;
    r->bytes = need(s, "x", DTYPE_U8, r->n, r->features, e);
    if (r->bytes == NULL || meta_real(s->record.meta, "scale", &scale, e) < 0)
        return -1;
    r->scale = (float)scale;
    return 0;
}

/* Offsets ascend from 0 to the number of values, and in every row indices ascend below features. */
static int check_sparse(const struct rows *r, size_t stored, struct err *e)
{
    if (r->indptr[0] != 0 || (uint64_t)r->indptr[r->n] != stored)
        return err_set(e, ERR_DATA, "'indptr' does not span the %zu values", stored);
    for (size_t i = 0; i < r->n; i++)
        if (r->indptr[i] > r->indptr[i + 1] || (uint64_t)r->indptr[i + 1] > stored)
            return err_set(e, ERR_DATA, "row %zu: 'indptr' does not ascend", i);
    for (size_t i = 0; i < r->n; i++) {
        int64_t before = -1;
        for (int64_t k = r->indptr[i]; k < r->indptr[i + 1]; before = r->indices[k++])
            if (r->indices[k] <= before || (size_t)r->indices[k] >= r->features)
                return err_set(e, ERR_DATA, "row %zu: 'indices' do not ascend below %zu", i,
                               r->features);
    }
    return 0;
}

static int take_sparse(struct shard *s, struct err *e)
{
    struct rows *r = &s->rows;
    const struct tensor *values = record_find(&s->record, "values");
    size_t stored = values && values->dims == 1 ? values->shape[0] : 0;
    r->kind = ROWS_SPARSE;
    r->indptr = need(s, "indptr", DTYPE_I64, r->n + 1, 0, e);
    if (r->indptr == NULL)
        return -1;
    r->indices = need(s, "indices", DTYPE_I32, stored, 0, e);
    if (r->indices == NULL)
        return -1;
    r->values = need(s, "values", DTYPE_F32, stored, 0, e);
    return r->values == NULL ? -1 : check_sparse(r, stored, e);
}

/* Readers index the classes by what they find here: every label must be one of them. */
static bool label_fits(const struct classes *c, double label)
{
    if (c->named)
        return label >= 0 && label < (double)c->n && label == floor(label);
    return isfinite(label) && (c->targets || classes_find_value(c, label) >= 0);
}

static int check_labels(const struct shard *s, struct err *e)
{
    for (size_t i = 0; i < s->rows.n; i++)
        if (!label_fits(&s->classes, s->rows.labels[i]))
            return err_set(e, ERR_DATA, "row %zu: its label is none of the classes", i);
    return 0;
}

static int take_weights(struct shard *s, struct err *e)
{
    struct rows *r = &s->rows;
    if (record_find(&s->record, "weights") == NULL)
        return 0;
    r->weights = need(s, "weights", DTYPE_F32, r->n, 0, e);
    for (size_t i = 0; r->weights != NULL && i < r->n; i++)
        if (!(r->weights[i] >= 0 && isfinite(r->weights[i])))
            return err_set(e, ERR_DATA, "row %zu: its weight is not a finite number from 0 on", i);
    return r->weights == NULL ? -1 : 0;
}

static int take_meta(struct shard *s, struct err *e)
{
    const json_t *meta = s->record.meta;
    const char *format = meta_text(meta, "format"), *classes = meta_text(meta, "classes");
    const char *data = meta_text(meta, "data");
    uint64_t rows, features;
    if (format == NULL || strcmp(format, SHARD_FORMAT) != 0)
        return err_set(e, ERR_DATA,
                       "a safetensors record, but no shard: its format is '%s', not '%s'",
                       format ? format : "", SHARD_FORMAT);
    if (meta_whole(meta, "rows", &rows, e) < 0 || meta_whole(meta, "features", &features, e) < 0)
        return -1;
    if (rows == 0 || rows >= SIZE_MAX || features > INT32_MAX)
        return err_set(e, ERR_DATA, "%llu rows of %llu features", (unsigned long long)rows,
                       (unsigned long long)features);
    s->rows.n = (size_t)rows;
    s->rows.features = (size_t)features;
    if (classes == NULL || data == NULL)
        return err_set(e, ERR_DATA, "metadata lack '%s'", classes ? "data" : "classes");
    s->data = json_loads(data, 0, NULL);
    if (!json_is_object(s->data))
        return err_set(e, ERR_DATA, "metadata 'data' are no JSON object");
    return classes_parse(&s->classes, classes, e);
}

int shard_take(struct shard *s, struct err *e)
{
    if (take_meta(s, e) < 0)
        return -1;
    s->rows.labels = need(s, "labels", DTYPE_F64, s->rows.n, 0, e);
    if (s->rows.labels == NULL || check_labels(s, e) < 0 || take_weights(s, e) < 0)
        return -1;
    return record_find(&s->record, "x") ? take_dense(s, e) : take_sparse(s, e);
}

int shard_verify(const struct shard *s, struct err *e)
{
    char crc[16];
    const char *said = meta_text(s->record.meta, "crc32");
    snprintf(crc, sizeof crc, "%08x", (unsigned)shard_crc(&s->rows));
    if (said != NULL && strcmp(said, crc) == 0)
        return 0;
    return err_set(e, ERR_DATA, "damaged: its checksum is %s, the metadata say %s", crc,
                   said ? said : "nothing");
}

void shard_free(struct shard *s)
{
    record_free(&s->record);
    classes_free(&s->classes);
    json_decref(s->data);
    memset(s, 0, sizeof *s);
}
