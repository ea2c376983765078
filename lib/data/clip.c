/* Rows without the features that a model does not have. */
#include "data/clip.h"

#include <string.h>

#include "base/mem.h"

static int clip_dense(struct builder *to, const struct rows *from, size_t limit, const char *file,
                      struct err *e)
{
    if (builder_room(to, from->n, e) < 0)
        return -1;
    for (size_t i = 0; i < from->n; i++) {
        if (from->kind == ROWS_BYTES)
            memcpy(to->bytes + i * limit, from->bytes + i * from->features, limit);
        else
            memcpy(to->x + i * limit, from->x + i * from->features, limit * sizeof *to->x);
    }
    memcpy(to->labels, from->labels, from->n * sizeof *to->labels);
    if (to->weighted)
        memcpy(to->weights, from->weights, from->n * sizeof *to->weights);
    to->n = to->beyond_rows = from->n;
    to->beyond = mem_print(e, "%s: %zu features", file, from->features);
    return to->beyond == NULL ? -1 : 0;
}

static int clip_sparse(struct builder *to, const struct rows *from, const char *file, size_t first, struct err *e)
{
    for (size_t i = 0; i < from->n; i++) {
        size_t at = (size_t)from->indptr[i], n = (size_t)from->indptr[i + 1] - at;
        if (builder_room(to, n, e) < 0)
            return -1;
        memcpy(to->indices + to->entries, from->indices + at, n * sizeof *to->indices);
        memcpy(to->values + to->entries, from->values + at, n * sizeof *to->values);
        to->labels[i] = from->labels[i];
        if (to->weighted)
            to->weights[i] = from->weights[i];
        to->entries += n;
        if (builder_end_sparse(to, 1, (struct place){ file, ": row ", first + i + 1 }, e) < 0)
            return -1;
    }
    to->features = to->limit;
    return 0;
}

int clip_rows(struct builder *to, const struct rows *from, size_t limit, const char *file, size_t first,
              struct err *e)
{
    to->kind = from->kind;
    to->scale = from->scale;
    to->weighted = from->weights != NULL;
    to->limit = limit;
    to->features = from->kind == ROWS_SPARSE ? 0 : limit;
    if (from->kind == ROWS_SPARSE)
        return clip_sparse(to, from, file, first, e);
    return clip_dense(to, from, limit, file, e);
}

void clip_warn(const char *place, size_t rows, size_t limit, const struct log *log)
{
    if (place != NULL)
        log_note(log, "%s: only %zu features are wanted; what lies beyond is left out in %zu row%s", place, limit,
                 rows, rows == 1 ? "" : "s");
}
