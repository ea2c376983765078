/* The JSON header of a safetensors record: what it says is checked here, before it is believed. */
#include "base/record_header.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {
    [DTYPE_U8] = { "U8", 1 },   [DTYPE_I32] = { "I32", 4 }, [DTYPE_I64] = { "I64", 8 },
    [DTYPE_F32] = { "F32", 4 }, [DTYPE_F64] = { "F64", 8 }, [DTYPE_BOOL] = { "BOOL", 1 },
    [DTYPE_I8] = { "I8", 1 },   [DTYPE_U16] = { "U16", 2 }, [DTYPE_I16] = { "I16", 2 },
    [DTYPE_F16] = { "F16", 2 }, [DTYPE_BF16] = { "BF16", 2 }, [DTYPE_U32] = { "U32", 4 },
    [DTYPE_U64] = { "U64", 8 },
};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0] };

size_t dtype_size(enum dtype t)
{
    return dtypes[t].size;
}

const char *dtype_name(enum dtype t)
{
    return dtypes[t].name;
}

size_t tensor_bytes(const struct tensor *t)
{
    size_t n = dtype_size(t->dtype);
    for (unsigned i = 0; i < t->dims; i++)
        n *= t->shape[i];
    return n;
}

/* A whole number from 0 that fits a size. */
static int get_size(const json_t *v, size_t *n)
{
    if (!json_is_integer(v) || json_integer_value(v) < 0 ||
        (uintmax_t)json_integer_value(v) > SIZE_MAX)
        return -1;
    *n = (size_t)json_integer_value(v);
    return 0;
}

static int read_dtype(struct tensor *t, const json_t *entry, struct err *e)
{
    const char *name = json_string_value(json_object_get(entry, "dtype"));
    for (int i = 0; name != NULL && i < DTYPES; i++)
        if (strcmp(dtypes[i].name, name) == 0) {
            t->dtype = (enum dtype)i;
            return 0;
        }
    return err_set(e, ERR_DATA, "tensor '%s': dtype %s: known are BOOL, I8 to I64, U8 to U64, F16, BF16, F32, F64",
                   t->name, name == NULL ? "missing" : name);
}

/* Also the number of bytes that the shape means. */
static int read_shape(struct tensor *t, const json_t *entry, size_t *bytes, struct err *e)
{
    const json_t *shape = json_object_get(entry, "shape");
    if (!json_is_array(shape) || json_array_size(shape) > TENSOR_DIMS)
        return err_set(e, ERR_DATA, "tensor '%s': shape must be an array of at most %d numbers",
                       t->name, TENSOR_DIMS);
    t->dims = (unsigned)json_array_size(shape);
    *bytes = dtype_size(t->dtype);
    for (unsigned i = 0; i < t->dims; i++)
        if (get_size(json_array_get(shape, i), &t->shape[i]) < 0)
            return err_set(e, ERR_DATA, "tensor '%s': shape must hold whole numbers from 0",
                           t->name);
        else if (__builtin_mul_overflow(*bytes, t->shape[i], bytes))
            return err_set(e, ERR_DATA, "tensor '%s': shape is too large", t->name);
    return 0;
}

static int read_tensor(struct tensor *t, const char *name, const json_t *entry, struct err *e)
{
    size_t begin, end, bytes = 0;
    if (strlen(name) >= sizeof t->name)
        return err_set(e, ERR_DATA, "tensor '%s': name longer than %zu bytes", name,
                       sizeof t->name - 1);
    strcpy(t->name, name);
    if (!json_is_object(entry))
        return err_set(e, ERR_DATA, "tensor '%s': must be an object", name);
    if (read_dtype(t, entry, e) < 0 || read_shape(t, entry, &bytes, e) < 0)
        return -1;
    const json_t *offsets = json_object_get(entry, "data_offsets");
    if (json_array_size(offsets) != 2 || get_size(json_array_get(offsets, 0), &begin) < 0 ||
        get_size(json_array_get(offsets, 1), &end) < 0 || begin > end)
        return err_set(e, ERR_DATA, "tensor '%s': data_offsets must be two ascending numbers",
                       name);
    if (end - begin != bytes)
        return err_set(e, ERR_DATA, "tensor '%s': %zu bytes at data_offsets, its shape needs %zu",
                       name, end - begin, bytes);
    t->data = (const void *)begin;
    return 0;
}

static int read_meta(struct record *r, json_t *meta, struct err *e)
{
    const char *key;
    json_t *value;
    if (!json_is_object(meta))
        return err_set(e, ERR_DATA, "__metadata__ must be an object");
    json_object_foreach(meta, key, value)
        if (!json_is_string(value))
            return err_set(e, ERR_DATA, "__metadata__: '%s' must be text", key);
    json_decref(r->meta);
    r->meta = json_incref(meta);
    return 0;
}

static int read_entries(struct record *r, json_t *header, struct err *e)
{
    const char *name;
    json_t *entry;
    r->meta = json_object();
    r->tensors = mem_new(json_object_size(header), sizeof *r->tensors, e);
    if (r->meta == NULL || r->tensors == NULL)
        return err_memory(e);
    json_object_foreach(header, name, entry) {
        int status;
        if (strcmp(name, "__metadata__") == 0)
            status = read_meta(r, entry, e);
        else
            status = read_tensor(&r->tensors[r->n++], name, entry, e);
        if (status < 0)
            return -1;
    }
    return 0;
}

static int by_offset(const void *a, const void *b)
{
    const struct tensor *s = *(const struct tensor *const *)a, *t = *(const struct tensor *const *)b;
    uintptr_t p = (uintptr_t)s->data, q = (uintptr_t)t->data;
    if (p != q)
        return p < q ? -1 : 1;
    size_t m = tensor_bytes(s), n = tensor_bytes(t);
    return m < n ? -1 : m > n;
}

/* The format allows neither overlaps nor holes: a tensor begins where the one before ends. */
static int check_layout(const struct record *r, size_t *bytes, struct err *e)
{
    const struct tensor **sorted = mem_new(r->n, sizeof *sorted, e);
    if (sorted == NULL)
        return -1;
    for (size_t i = 0; i < r->n; i++)
        sorted[i] = &r->tensors[i];
    qsort(sorted, r->n, sizeof *sorted, by_offset);
    int status = 0;
    *bytes = 0;
    for (size_t i = 0; i < r->n && status == 0; i++) {
        size_t begin = (uintptr_t)sorted[i]->data;
        if (begin != *bytes)
            status = err_set(e, ERR_DATA, "tensor '%s' begins at %zu, the data before it end at %zu",
                             sorted[i]->name, begin, *bytes);
        *bytes = begin + tensor_bytes(sorted[i]);
    }
    free(sorted);
    return status;
}

int record_parse(struct record *r, const char *text, size_t n, size_t *bytes, struct err *e)
{
    json_error_t where;
    if (text[0] != '{')
        return err_set(e, ERR_DATA, "not a safetensors record: its header is no JSON object");
    json_t *header = json_loadb(text, n, JSON_REJECT_DUPLICATES, &where);
    if (header == NULL)
        return err_set(e, ERR_DATA, "header: %s at byte %d", where.text, where.position);
    int status = read_entries(r, header, e);
    json_decref(header);
    return status < 0 ? -1 : check_layout(r, bytes, e);
}
