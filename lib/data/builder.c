/* Rows under construction. */
#include "data/builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char *const kind_names[] = { "floats", "bytes", "sparse rows" };

int builder_begin(struct builder *b, const char *format, enum rows_kind kind, size_t features,
                  struct err *e)
{
    if (b->format == NULL) {
        b->format = format;
        b->kind = kind;
        b->features = features;
        return 0;
    }
    if (strcmp(b->format, format) != 0 || b->kind != kind)
        return err_set(e, ERR_DATA, "%s (%s) after %s (%s): all files must be of one kind", format,
                       kind_names[kind], b->format, kind_names[b->kind]);
    if (kind != ROWS_SPARSE && b->features != features)
        return err_set(e, ERR_DATA, "%zu features, the file before has %zu", features, b->features);
    return 0;
}

/* Labels, and weights where there are any. */
static int room_for_labels(struct builder *b, size_t n, struct err *e)
{
    if (b->weighted && mem_grow(&b->weights, &b->weights_cap, b->n + n, sizeof *b->weights, e) < 0)
        return -1;
    return mem_grow(&b->labels, &b->labels_cap, b->n + n, sizeof *b->labels, e);
}

int builder_weigh(struct builder *b, struct err *e)
{
    if (b->weighted)
        return 0;
    b->weighted = true;
    if (room_for_labels(b, 1, e) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++)
        b->weights[i] = 1;
    return 0;
}

static int room_floats(struct builder *b, size_t n, struct err *e)
{
    if (b->features > 0 && n > SIZE_MAX / sizeof *b->x / b->features - b->n)
        return err_memory(e);
    if (room_for_labels(b, n, e) < 0)
        return -1;
    return mem_grow(&b->x, &b->x_cap, (b->n + n) * b->features, sizeof *b->x, e);
}

static int room_bytes(struct builder *b, size_t n, struct err *e)
{
    if (b->features > 0 && n > SIZE_MAX / b->features - b->n)
        return err_memory(e);
    if (room_for_labels(b, n, e) < 0)
        return -1;
    return mem_grow(&b->bytes, &b->bytes_cap, (b->n + n) * b->features, 1, e);
}

/* One entry more than needed, so that rows without any still have arrays. */
static int room_sparse(struct builder *b, size_t n, size_t entries, struct err *e)
{
    if (room_for_labels(b, n, e) < 0 ||
        mem_grow(&b->indptr, &b->indptr_cap, b->n + n + 1, sizeof *b->indptr, e) < 0 ||
        mem_grow(&b->indices, &b->indices_cap, b->entries + entries + 1, sizeof *b->indices, e) < 0 ||
        mem_grow(&b->values, &b->values_cap, b->entries + entries + 1, sizeof *b->values, e) < 0)
        return -1;
    if (b->n == 0)
        b->indptr[0] = 0;
    return 0;
}

int builder_room_rows(struct builder *b, size_t n, size_t entries, struct err *e)
{
    if (b->kind == ROWS_SPARSE)
        return room_sparse(b, n, entries, e);
    return b->kind == ROWS_BYTES ? room_bytes(b, n, e) : room_floats(b, n, e);
}

int builder_room(struct builder *b, size_t n, struct err *e)
{
    bool sparse = b->kind == ROWS_SPARSE;
    return builder_room_rows(b, sparse ? 1 : n, sparse ? n : 0, e);
}

struct entry {
    int32_t index;
    float value;
};

static int by_index(const void *a, const void *b)
{
    int32_t x = ((const struct entry *)a)->index, y = ((const struct entry *)b)->index;
    return (x > y) - (x < y);
}

static int sort_row(int32_t *indices, float *values, size_t n, struct err *e)
{
    struct entry *row = mem_new(n, sizeof *row, e);
    if (row == NULL)
        return -1;
    for (size_t i = 0; i < n; i++)
        row[i] = (struct entry){ indices[i], values[i] };
    qsort(row, n, sizeof *row, by_index);
    for (size_t i = 0; i < n; i++) {
        indices[i] = row[i].index;
        values[i] = row[i].value;
    }
    free(row);
    return 0;
}

static bool ascending(const int32_t *indices, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (indices[i - 1] >= indices[i])
            return false;
    return true;
}

/* Entries of equal index, which follow each other, become one; returns how many are left. */
static size_t add_equal(int32_t *indices, float *values, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept > 0 && indices[kept - 1] == indices[i]) {
            values[kept - 1] += values[i];
            continue;
        }
        indices[kept] = indices[i];
        values[kept++] = values[i];
    }
    return kept;
}

static int note_beyond(struct builder *b, long largest, struct place at, struct err *e)
{
    b->beyond_rows++;
    if (b->beyond != NULL)
        return 0;
    b->beyond = mem_print(e, "%s%s%zu: feature index %ld", at.file, at.unit, at.number, largest);
    return b->beyond == NULL ? -1 : 0;
}

int builder_end_sparse(struct builder *b, unsigned base, struct place at, struct err *e)
{
    size_t begin = (size_t)b->indptr[b->n], n = b->entries - begin;
    int32_t *indices = b->indices + begin;
    if (!ascending(indices, n) && sort_row(indices, b->values + begin, n, e) < 0)
        return -1;
    if (b->sums)
        n = add_equal(indices, b->values + begin, n);
    for (size_t i = 1; i < n; i++)
        if (indices[i - 1] == indices[i])
            return err_set(e, ERR_DATA, "feature index %ld stands twice in one row",
                           (long)indices[i] + base);
    if (n > 0 && b->limit > 0 && (size_t)indices[n - 1] >= b->limit) {
        if (note_beyond(b, (long)indices[n - 1] + base, at, e) < 0)
            return -1;
        while (n > 0 && (size_t)indices[n - 1] >= b->limit)
            n--;
    }
    if (n > 0 && (size_t)indices[n - 1] >= b->features)
        b->features = (size_t)indices[n - 1] + 1;
    b->entries = begin + n;
    b->indptr[++b->n] = (int64_t)b->entries;
    return 0;
}

/* n rows of `size` bytes a feature: what is missing on the right is 0, what is too much is left out. */
static void append_dense(void *to, size_t to_features, const void *from, size_t from_features, size_t n, size_t size)
{
    size_t kept = to_features < from_features ? to_features : from_features;
    if (to_features == from_features) {
        memcpy(to, from, n * kept * size);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        char *row = (char *)to + i * to_features * size;
        memcpy(row, (const char *)from + i * from_features * size, kept * size);
        memset(row + kept * size, 0, (to_features - kept) * size);
    }
}

static void append_sparse(struct builder *b, const struct rows *from, size_t entries)
{
    size_t at = (size_t)from->indptr[0];
    int64_t moved = (int64_t)b->entries - from->indptr[0];
    memcpy(b->indices + b->entries, from->indices + at, entries * sizeof *b->indices);
    memcpy(b->values + b->entries, from->values + at, entries * sizeof *b->values);
    for (size_t i = 1; i <= from->n; i++)
        b->indptr[b->n + i] = from->indptr[i] + moved;
    b->entries += entries;
}

int builder_append(struct builder *b, const struct rows *from, struct err *e)
{
    bool sparse = b->kind == ROWS_SPARSE;
    size_t n = from->n, entries = sparse ? (size_t)(from->indptr[n] - from->indptr[0]) : 0;
    if (n == 0)
        return 0;
    if (from->weights != NULL && builder_weigh(b, e) < 0)
        return -1;
    if (builder_room_rows(b, n, entries, e) < 0)
        return -1;
    if (sparse)
        append_sparse(b, from, entries);
    else if (b->kind == ROWS_BYTES)
        append_dense(b->bytes + b->n * b->features, b->features, from->bytes, from->features, n, 1);
    else
        append_dense(b->x + b->n * b->features, b->features, from->x, from->features, n, sizeof *b->x);
    memcpy(b->labels + b->n, from->labels, n * sizeof *b->labels);
    for (size_t i = 0; b->weighted && i < n; i++)
        b->weights[b->n + i] = (float)rows_weight(from, i);
    b->n += n;
    return 0;
}

size_t builder_bytes(const struct builder *b)
{
    static const size_t row[] = { [ROWS_DENSE] = sizeof *b->x, [ROWS_BYTES] = 1 };
    size_t labels = b->n * (sizeof *b->labels + (b->weighted ? sizeof *b->weights : 0));
    if (b->kind == ROWS_SPARSE)
        return labels + b->n * sizeof *b->indptr + b->entries * (sizeof *b->indices + sizeof *b->values);
    return labels + b->n * b->features * row[b->kind];
}

void builder_clear(struct builder *b)
{
    labels_gone(&b->spellings, b->n);
    b->gone += b->n;
    b->n = b->entries = 0;
}

size_t builder_count(const struct builder *b)
{
    return b->gone + b->n;
}

struct rows builder_rows(const struct builder *b)
{
    return (struct rows){
        .kind = b->kind,
        .n = b->n,
        .features = b->features,
        .x = b->x,
        .bytes = b->bytes,
        .scale = b->scale,
        .indptr = b->indptr,
        .indices = b->indices,
        .values = b->values,
        .labels = b->labels,
        .weights = b->weighted ? b->weights : NULL,
    };
}

int builder_finish(struct builder *b, struct classes *c, struct err *e)
{
    return labels_finish(&b->spellings, b->labels, b->n, c, e);
}

void builder_release(struct builder *b)
{
    void *const arrays[] = { b->x, b->bytes, b->indptr, b->indices, b->values, b->labels, b->weights };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    b->x = b->values = b->weights = NULL;
    b->bytes = NULL;
    b->indptr = NULL;
    b->indices = NULL;
    b->labels = NULL;
    b->x_cap = b->bytes_cap = b->indptr_cap = b->indices_cap = b->values_cap = b->labels_cap = b->weights_cap = 0;
    b->n = b->entries = 0;
}

void builder_free(struct builder *b)
{
    builder_release(b);
    free(b->beyond);
    labels_free(&b->spellings);
    memset(b, 0, sizeof *b);
}
