/* What a program is asked: a record of the parameters, and of the rows of a minibatch where they are here. */
#include "run/worker/request.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/record.h"
#include "base/record_header.h"

enum { OWN_TENSORS = 8 /* beside the parameters, at most */ };

/* A request as it is put together. */
struct making {
    const struct task *task;
    const struct layout *layout;
    struct tensor *tensors; /* (layout->n + OWN_TENSORS) */
    size_t n;
    int64_t *wholes; /* (2, task->n): row numbers, classes */
    float *x;        /* (task->n, features), where rows are to be widened; or NULL */
};

static struct tensor *add(struct making *m, const char *name, enum dtype dtype, size_t n, const void *data)
{
    struct tensor *t = &m->tensors[m->n++];
    *t = (struct tensor){ .dtype = dtype, .dims = 1, .shape = { n }, .data = data };
    strcpy(t->name, LAYOUT_RESERVED);
    strcat(t->name, name);
    return t;
}

/* What has elements of eight bytes: these stand in front. */
static void add_wide(struct making *m)
{
    const struct task *t = m->task;
    const struct rows *block = t->block;
    int64_t *row = m->wholes, *class = m->wholes + t->n;
    for (size_t i = 0; i < t->n; i++)
        row[i] = (int64_t)t->row[i];
    add(m, "rows", DTYPE_I64, t->n, row);
    if (block == NULL)
        return;
    add(m, "labels", DTYPE_F64, t->n, block->labels);
    for (size_t i = 0; t->classes != NULL && i < t->n; i++)
        class[i] = (int64_t)t->classes[t->row[i]];
    if (t->classes != NULL)
        add(m, "classes", DTYPE_I64, t->n, class);
    if (block->kind == ROWS_SPARSE)
        add(m, "indptr", DTYPE_I64, t->n + 1, block->indptr);
}

/* Rows as wide as the run. */
static int widen(struct making *m, struct err *e)
{
    const struct rows *block = m->task->block;
    size_t features = (size_t)m->task->features, n;
    if (__builtin_mul_overflow(block->n, features, &n))
        return err_memory(e);
    m->x = mem_new(n, sizeof *m->x, e);
    for (size_t i = 0; m->x != NULL && i < block->n; i++)
        memcpy(m->x + i * features, block->x + i * block->features, block->features * sizeof *m->x);
    return m->x == NULL ? -1 : 0;
}

static int add_rows(struct making *m, struct err *e)
{
    const struct rows *block = m->task->block;
    if (block == NULL)
        return 0;
    if (block->weights != NULL)
        add(m, "weights", DTYPE_F32, block->n, block->weights);
    if (block->kind == ROWS_SPARSE) {
        size_t stored = (size_t)block->indptr[block->n];
        add(m, "indices", DTYPE_I32, stored, block->indices);
        add(m, "values", DTYPE_F32, stored, block->values);
        return 0;
    }
    if (block->features < m->task->features && widen(m, e) < 0)
        return -1;
    struct tensor *x = add(m, "x", DTYPE_F32, block->n, m->x != NULL ? m->x : block->x);
    x->dims = 2;
    x->shape[1] = (size_t)m->task->features;
    return 0;
}

static json_t *metadata(const struct making *m, const struct welcome *w, uint64_t version, uint64_t seq, struct err *e)
{
    const struct {
        const char *key;
        uint64_t value;
    } all[] = {
        { "seq", seq },           { "version", version },           { "rows", m->task->n },
        { "rank", w->rank },      { "workers", w->workers },        { "seed", w->seed },
        { "features", w->features }, { "classes", w->classes.n },
    };
    json_t *meta = json_object();
    meta_set(meta, "format", e, "%s", "dsgd-request 1");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        meta_set(meta, all[i].key, e, "%" PRIu64, all[i].value);
    if (e->kind == ERR_OK)
        return meta;
    json_decref(meta);
    return NULL;
}

/* The tensors behind their header, one after the other. */
static int join(struct outgoing *out, const struct making *m, const json_t *meta, struct err *e)
{
    size_t at;
    unsigned char *header = record_header(m->tensors, m->n, meta, &at, &out->n, e);
    out->bytes = header == NULL ? NULL : realloc(header, out->n);
    if (out->bytes == NULL) {
        free(header);
        return e->kind == ERR_OK ? err_memory(e) : -1;
    }
    for (size_t i = 0; i < m->n; i++) {
        size_t bytes = tensor_bytes(&m->tensors[i]);
        if (bytes > 0)
            memcpy(out->bytes + at, m->tensors[i].data, bytes);
        at += bytes;
    }
    return 0;
}

static int make(struct question *q, struct making *m, const struct welcome *w, uint64_t version, struct err *e)
{
    json_t *meta = metadata(m, w, version, q->seq, e);
    if (meta == NULL)
        return -1;
    add_wide(m);
    m->n += model_tensors(m->layout, m->task->w, m->tensors + m->n);
    int rc = add_rows(m, e);
    if (rc == 0)
        rc = join(&q->record, m, meta, e);
    json_decref(meta);
    return rc;
}

int request_make(struct question *q, struct compute *c, const struct welcome *w, uint64_t version, uint64_t seq,
                 struct err *e)
{
    struct task task;
    if (compute_task(c, &task, e) < 0)
        return -1;
    struct making m = { .task = &task, .layout = compute_layout(c) };
    *q = (struct question){ .seq = seq, .rows = task.n };
    m.tensors = mem_new(m.layout->n + OWN_TENSORS, sizeof *m.tensors, e);
    m.wholes = mem_new(2 * task.n, sizeof *m.wholes, e);
    int rc = m.tensors == NULL || m.wholes == NULL ? -1 : make(q, &m, w, version, e);
    free(m.x);
    free(m.wholes);
    free(m.tensors);
    return rc;
}
