/* Writing safetensors records: the header, then the tensors as they lie in memory. */
#include "base/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"

enum { DATA_ALIGN = 64, LENGTH_BYTES = 8 };

static int bytes_of(const struct tensor *t, size_t *bytes, struct err *e)
{
    size_t n = dtype_size(t->dtype);
    for (unsigned i = 0; i < t->dims; i++)
        if (__builtin_mul_overflow(n, t->shape[i], &n) || n > INT64_MAX)
            return err_set(e, ERR_DATA, "tensor '%s' is too large", t->name);
    *bytes = n;
    return 0;
}

static json_t *shape_of(const struct tensor *t)
{
    json_t *shape = json_array();
    for (unsigned i = 0; i < t->dims; i++)
        json_array_append_new(shape, json_integer((json_int_t)t->shape[i]));
    return shape;
}

/* Adds t, whose data begin at *end, and moves *end behind it. */
static int describe(json_t *header, const struct tensor *t, size_t *end, struct err *e)
{
    size_t begin = *end, bytes = 0;
    if (bytes_of(t, &bytes, e) < 0)
        return -1;
    if (bytes > INT64_MAX - begin)
        return err_set(e, ERR_DATA, "tensor '%s': the record is too large", t->name);
    *end = begin + bytes;
    json_t *entry = json_pack("{s:s, s:o, s:[I, I]}", "dtype", dtype_name(t->dtype), "shape",
                              shape_of(t), "data_offsets", (json_int_t)begin, (json_int_t)*end);
    if (entry == NULL || json_object_set_new(header, t->name, entry) < 0)
        return err_memory(e);
    return 0;
}

/* The JSON of the header as text; *data is the length of what follows it. Members stand in the
 * order given, so the same input gives the same bytes. */
static char *header_text(const struct tensor *tensors, size_t n, const json_t *meta, size_t *data,
                         struct err *e)
{
    char *text = NULL;
    int status = 0;
    json_t *header = json_object();
    if (header == NULL || (meta != NULL && json_object_set_new(header, "__metadata__",
                                                               json_deep_copy(meta)) < 0))
        status = err_memory(e);
    *data = 0;
    for (size_t i = 0; i < n && status == 0; i++)
        status = describe(header, &tensors[i], data, e);
    if (status == 0 && (text = json_dumps(header, JSON_COMPACT)) == NULL)
        err_memory(e);
    json_decref(header);
    return text;
}

unsigned char *record_header(const struct tensor *tensors, size_t n, const json_t *meta,
                             size_t *length, size_t *total, struct err *e)
{
    size_t data;
    char *text = header_text(tensors, n, meta, &data, e);
    if (text == NULL)
        return NULL;
    size_t json = strlen(text);
    *length = (LENGTH_BYTES + json + DATA_ALIGN - 1) / DATA_ALIGN * DATA_ALIGN;
    *total = *length + data;
    unsigned char *header = NULL;
    if (json > RECORD_HEADER_MAX - DATA_ALIGN)
        err_set(e, ERR_DATA, "header of %zu bytes: at most %d", json, RECORD_HEADER_MAX);
    else
        header = mem_new(*length, 1, e);
    if (header != NULL) {
        memset(header, ' ', *length);
        put_u64(header, *length - LENGTH_BYTES);
        memcpy(header + LENGTH_BYTES, text, json);
    }
    free(text);
    return header;
}

int record_write(struct out *o, const struct tensor *tensors, size_t n, const json_t *meta,
                 struct err *e)
{
    size_t length, total, bytes = 0;
    unsigned char *header = record_header(tensors, n, meta, &length, &total, e);
    if (header == NULL)
        return -1;
    int status = out_write(o, header, length, e);
    free(header);
    for (size_t i = 0; i < n && status == 0; i++) {
        status = bytes_of(&tensors[i], &bytes, e);
        if (status == 0)
            status = out_write(o, tensors[i].data, bytes, e);
    }
    return status;
}
