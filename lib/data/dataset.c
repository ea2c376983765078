/* Operands become the parts of a data set: shards mapped, everything else read into memory. */
#include "data/dataset.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/operands.h"
#include "data/store.h"

/* One call of dataset_read. */
struct reading {
    struct dataset *d;
    size_t limit;
    size_t rows; /* so far, of shards */
};

static struct store *store_of(const struct reading *r)
{
    return r->d->store;
}

/* The builder of the last part, unless it is a shard. */
static struct builder *take_rows(void *self, const char *name, struct err *e)
{
    struct reading *r = self;
    struct store *s = store_of(r);
    if (s->n > 0 && s->v[s->n - 1].shard.record.meta == NULL)
        return &s->v[s->n - 1].built;
    struct part *p = store_add(s, name, e);
    if (p == NULL)
        return NULL;
    p->built.limit = r->limit;
    p->built.encoding = &s->encoding;
    return &p->built;
}

static int keep_rows(void *self, struct err *e)
{
    (void)self, (void)e;
    return 0;
}

static int take_shard(void *self, struct shard *shard, const char *name, struct err *e)
{
    struct reading *r = self;
    struct part *p = store_add(store_of(r), name, e);
    if (p == NULL) {
        shard_free(shard);
        return -1;
    }
    p->shard = *shard;
    r->rows += shard->rows.n;
    return 0;
}

static int take_meta(void *self, const json_t *more, struct err *e)
{
    struct reading *r = self;
    return operands_meta(&r->d->meta, more, e);
}

static size_t rows_of(const void *self)
{
    const struct reading *r = self;
    size_t rows = r->rows;
    for (size_t i = 0; i < store_of(r)->n; i++)
        rows += store_of(r)->v[i].built.n;
    return rows;
}

static int begin(struct dataset *d, char *const *paths, size_t n, const struct input *in, struct err *e)
{
    struct store *s = d->store = calloc(1, sizeof *s);
    if (s == NULL)
        return err_memory(e);
    if (encoding_open(&s->encoding, in, e) < 0)
        return -1;
    d->name = operands_name(paths, n, e);
    return d->name == NULL ? -1 : 0;
}

int dataset_read(struct dataset *d, char *const *paths, size_t n, const struct input *in,
                 size_t limit, const struct log *log, struct err *e)
{
    struct reading r = { .d = d, .limit = limit };
    const struct intake to = { &r, take_rows, keep_rows, take_shard, take_meta, rows_of };
    int status = begin(d, paths, n, in, e);
    if (status == 0)
        status = operands_read(&to, paths, n, in, log, e);
    if (status == 0)
        status = store_join(d, in, limit, log, e);
    if (status < 0)
        dataset_free(d);
    return status;
}

void dataset_free(struct dataset *d)
{
    if (d->store != NULL)
        store_free(d->store);
    free(d->parts);
    classes_free(&d->classes);
    free(d->labels);
    json_decref(d->meta);
    json_decref(d->shards);
    free(d->name);
    memset(d, 0, sizeof *d);
}
