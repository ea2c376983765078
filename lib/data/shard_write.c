/* A shard: rows become a safetensors record. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/record_header.h"
#include "data/shard.h"

enum { BLOCK = 1 << 18, INDPTR = 1 /* its place among the tensors of sparse rows */ };

/* The tensors of rows with so many entries, in the order of the file: large elements first, so that all stay
 * aligned. */
static size_t tensors_of(const struct rows *r, size_t stored, struct tensor t[SHARD_TENSORS])
{
    size_t n = 0;
    t[n++] = (struct tensor){ "labels", DTYPE_F64, 1, { r->n }, r->labels };
    if (r->kind == ROWS_SPARSE)
        t[n++] = (struct tensor){ "indptr", DTYPE_I64, 1, { r->n + 1 }, r->indptr };
    if (r->weights != NULL)
        t[n++] = (struct tensor){ "weights", DTYPE_F32, 1, { r->n }, r->weights };
    switch (r->kind) {
    case ROWS_DENSE:
        t[n++] = (struct tensor){ "x", DTYPE_F32, 2, { r->n, r->features }, r->x };
        break;
    case ROWS_BYTES:
        t[n++] = (struct tensor){ "x", DTYPE_U8, 2, { r->n, r->features }, r->bytes };
        break;
    case ROWS_SPARSE:
        t[n++] = (struct tensor){ "indices", DTYPE_I32, 1, { stored }, r->indices };
        t[n++] = (struct tensor){ "values", DTYPE_F32, 1, { stored }, r->values };
        break;
    }
    return n;
}

static uint32_t crc_of(uint32_t crc, const void *data, size_t bytes)
{
    return bytes > 0 ? (uint32_t)crc32_z(crc, data, bytes) : crc;
}

static size_t entries_of(const struct rows *r)
{
    return r->kind == ROWS_SPARSE ? (size_t)(r->indptr[r->n] - r->indptr[0]) : 0;
}

uint32_t shard_crc(const struct rows *rows)
{
    struct tensor t[SHARD_TENSORS];
    uint32_t crc = 0;
    size_t n = tensors_of(rows, entries_of(rows), t);
    for (size_t i = 0; i < n; i++)
        crc = crc_of(crc, t[i].data, tensor_bytes(&t[i]));
    return crc;
}

uint64_t shard_stored(const struct rows *rows)
{
    return rows->kind == ROWS_SPARSE ? entries_of(rows) : (uint64_t)rows->n * rows->features;
}

static int note_json(json_t *meta, const char *key, const json_t *value, struct err *e)
{
    char *text = json_dumps(value, JSON_COMPACT);
    if (text == NULL)
        return err_memory(e);
    int status = meta_set(meta, key, e, "%s", text);
    free(text);
    return status;
}

static int note_classes(json_t *meta, const struct classes *c, struct err *e)
{
    char *text = classes_text(c, e);
    if (text == NULL)
        return -1;
    int status = meta_set(meta, "classes", e, "%s", text);
    free(text);
    return status;
}

/* As a double, so that readers in other languages multiply by the nearest to 1/255 too. */
static double scale_of(const struct rows *r)
{
    return r->scale == 1.0f / 255 ? 1.0 / 255 : (double)r->scale;
}

static int fill_meta(json_t *meta, const struct rows *r, uint32_t crc, const struct shard_note *note,
                     struct err *e)
{
    char scale[NUM_TEXT];
    if (meta_set(meta, "format", e, SHARD_FORMAT) < 0 ||
        meta_set(meta, "rows", e, "%zu", r->n) < 0 ||
        meta_set(meta, "features", e, "%zu", r->features) < 0)
        return -1;
    if (r->kind == ROWS_BYTES &&
        meta_set(meta, "scale", e, "%s", num_print_double(scale, scale_of(r))) < 0)
        return -1;
    if (note_classes(meta, note->classes, e) < 0 || note_json(meta, "data", note->data, e) < 0 ||
        meta_set(meta, "source", e, "%s", note->source) < 0 ||
        meta_set(meta, "seed", e, "%llu", (unsigned long long)note->seed) < 0 ||
        meta_set(meta, "shard", e, "%llu", (unsigned long long)note->shard) < 0 ||
        meta_set(meta, "shards", e, "%llu", (unsigned long long)note->shards) < 0 ||
        meta_set(meta, "crc32", e, "%08x", (unsigned)crc) < 0)
        return -1;
    return meta_set(meta, "version", e, "%s", PACKAGE_VERSION);
}

/* Also new. NULL: e. */
static json_t *meta_of(const struct rows *r, uint32_t crc, const struct shard_note *note, struct err *e)
{
    json_t *meta = json_object();
    if (meta == NULL) {
        err_memory(e);
    } else if (fill_meta(meta, r, crc, note, e) < 0) {
        json_decref(meta);
        meta = NULL;
    }
    return meta;
}

int shard_write(struct out *o, const struct rows *rows, const struct shard_note *note,
                struct err *e)
{
    struct tensor t[SHARD_TENSORS];
    json_t *meta = meta_of(rows, shard_crc(rows), note, e);
    if (meta == NULL)
        return -1;
    int status = record_write(o, t, tensors_of(rows, entries_of(rows), t), meta, e);
    json_decref(meta);
    return status;
}

/* The rows in memory go to the files; their offsets count on from those before. */
static int flush(struct shard_writer *w, struct err *e)
{
    struct builder *b = &w->rows;
    struct rows r = builder_rows(b);
    struct tensor t[SHARD_TENSORS];
    size_t n = tensors_of(&r, b->entries, t);
    for (size_t i = 0; r.kind == ROWS_SPARSE && i <= r.n; i++)
        b->indptr[i] += (int64_t)w->entries;
    for (size_t i = 0; i < n; i++) {
        bool known = r.kind == ROWS_SPARSE && i == INDPTR && w->n > 0; /* the first, by the piece before */
        const char *data = (const char *)t[i].data + (known ? sizeof *b->indptr : 0);
        size_t bytes = tensor_bytes(&t[i]) - (known ? sizeof *b->indptr : 0);
        w->tensors[i].folder = w->folder;
        w->crc[i] = crc_of(w->crc[i], data, bytes);
        if (temp_append(&w->tensors[i], data, bytes, e) < 0)
            return -1;
    }
    w->n += b->n;
    w->entries += b->entries;
    builder_clear(b);
    return 0;
}

/* Arrays that need not grow are not moved, nor touched anew. */
static int make_room(struct shard_writer *w, struct err *e)
{
    size_t row = w->rows.kind == ROWS_SPARSE ? 1 : w->rows.features * (w->rows.kind == ROWS_BYTES ? 1 : sizeof(float));
    size_t most = w->limit / (row + sizeof(double) + 1), n = w->expected < most ? w->expected : most;
    size_t entries = w->expected_entries < w->limit / sizeof(double) ? w->expected_entries : w->limit / sizeof(double);
    return builder_room_rows(&w->rows, n, entries, e);
}

int shard_add(struct shard_writer *w, const struct rows *r, struct err *e)
{
    struct builder *b = &w->rows;
    if (w->n == 0 && b->n == 0) {
        b->kind = r->kind;
        b->scale = r->scale;
        b->features = r->features;
        b->weighted = r->weights != NULL;
        if (make_room(w, e) < 0)
            return -1;
    }
    if (builder_append(b, r, e) < 0)
        return -1;
    return builder_bytes(b) > w->limit ? flush(w, e) : 0;
}

static int copy(struct out *o, const struct temp *t, char *block, struct err *e)
{
    for (uint64_t at = 0; at < t->bytes; at += BLOCK) {
        size_t n = t->bytes - at < BLOCK ? (size_t)(t->bytes - at) : BLOCK;
        if (temp_read(t, at, block, n, e) < 0 || out_write(o, block, n, e) < 0)
            return -1;
    }
    return 0;
}

/* The header, then the tensors one after the other. */
static int put_together(struct shard_writer *w, struct out *o, const struct shard_note *note, struct err *e)
{
    struct rows all = builder_rows(&w->rows);
    struct tensor t[SHARD_TENSORS];
    uint32_t crc = 0;
    size_t length, total;
    all.n = w->n;
    size_t n = tensors_of(&all, w->entries, t);
    for (size_t i = 0; i < n; i++)
        crc = (uint32_t)crc32_combine(crc, w->crc[i], (z_off_t)tensor_bytes(&t[i]));
    json_t *meta = meta_of(&all, crc, note, e);
    unsigned char *header = meta ? record_header(t, n, meta, &length, &total, e) : NULL;
    char *block = header ? mem_new(BLOCK, 1, e) : NULL;
    int status = block == NULL ? -1 : out_write(o, header, length, e);
    for (size_t i = 0; i < n && status == 0; i++)
        status = copy(o, &w->tensors[i], block, e);
    free(block);
    free(header);
    json_decref(meta);
    return status;
}

static void forget(struct shard_writer *w)
{
    builder_clear(&w->rows);
    w->n = w->entries = 0;
    for (size_t i = 0; i < SHARD_TENSORS; i++) {
        temp_close(&w->tensors[i]);
        w->crc[i] = 0;
    }
}

int shard_end(struct shard_writer *w, struct out *o, const struct shard_note *note, struct err *e)
{
    struct rows r = builder_rows(&w->rows);
    int status;
    if (w->n == 0)
        status = shard_write(o, &r, note, e);
    else
        status = flush(w, e) < 0 ? -1 : put_together(w, o, note, e);
    forget(w);
    return status;
}

void shard_writer_free(struct shard_writer *w)
{
    forget(w);
    builder_free(&w->rows);
}
