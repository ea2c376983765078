/* The parts of a data set made one: labels, classes, width, and what is told of them. */
#include "data/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/clip.h"
#include "data/scaling.h"

static bool is_shard(const struct part *p)
{
    return p->shard.record.meta != NULL;
}

static const struct classes *classes_of(const struct part *p)
{
    return is_shard(p) ? &p->shard.classes : &p->classes;
}

struct part *store_add(struct store *s, const char *file, struct err *e)
{
    if (mem_grow(&s->v, &s->cap, s->n + 1, sizeof *s->v, e) < 0)
        return NULL;
    struct part *p = &s->v[s->n];
    memset(p, 0, sizeof *p);
    p->file = mem_text(file, e);
    if (p->file == NULL)
        return NULL;
    s->n++;
    return p;
}

void store_free(struct store *s)
{
    for (size_t i = 0; i < s->n; i++) {
        builder_free(&s->v[i].built);
        shard_free(&s->v[i].shard);
        classes_free(&s->v[i].classes);
        free(s->v[i].file);
    }
    free(s->v);
    encoding_free(&s->encoding);
    free(s);
}

/* Weights as people wrote them are brought to a mean of 1, so that the size of a step does not depend on them. */
static int level_weights(struct store *s, struct err *e)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < s->n; n += (double)s->v[i++].built.n)
        for (size_t k = 0; k < s->v[i].built.n; k++)
            sum += s->v[i].built.weighted ? (double)s->v[i].built.weights[k] : 1;
    if (n > 0 && sum <= 0)
        return err_set(e, ERR_DATA, "%s: the weights of all rows are 0", s->v[0].file);
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; s->v[i].built.weighted && k < s->v[i].built.n; k++)
            s->v[i].built.weights[k] = (float)(s->v[i].built.weights[k] * n / sum);
    return 0;
}

static int finish_raw(struct part *p, const struct encoding *c, const struct scaling *s, struct err *e)
{
    if (builder_finish(&p->built, &p->classes, e) < 0 || encoding_apply(c, &p->built, e) < 0 ||
        scaling_apply(s, &p->built, e) < 0)
        return err_ctx(e, "%s", p->file);
    return 0;
}

/* Rows of one part, narrowed to the limit; those of shards are scaled already. */
static int finish_part(struct part *p, const struct encoding *c, const struct scaling *s, struct rows *r,
                       size_t limit, struct err *e)
{
    if (is_shard(p))
        *r = p->shard.rows;
    else if (finish_raw(p, c, s, e) < 0)
        return -1;
    else
        *r = builder_rows(&p->built);
    if (limit == 0 || r->features <= limit)
        return 0;
    struct builder narrow = { 0 };
    if (clip_rows(&narrow, r, limit, p->file, 0, e) < 0) {
        builder_free(&narrow);
        return -1;
    }
    builder_free(&p->built);
    p->built = narrow;
    *r = builder_rows(&p->built);
    return 0;
}

static void warn_beyond(const struct store *s, size_t limit, const struct log *log)
{
    const char *first = NULL;
    size_t rows = 0;
    for (size_t i = 0; i < s->n; i++) {
        first = first ? first : s->v[i].built.beyond;
        rows += s->v[i].built.beyond_rows;
    }
    clip_warn(first, rows, limit, log);
}

/* Labels of one part, in terms of all classes. */
static int join_labels(const struct dataset *d, const struct part *p, const struct rows *r,
                       double *to, struct err *e)
{
    const struct classes *own = classes_of(p);
    memcpy(to, r->labels, r->n * sizeof *to);
    if (!own->named)
        return 0;
    double *becomes = classes_places(&d->classes, own, e);
    if (becomes == NULL)
        return -1;
    for (size_t i = 0; i < r->n; i++)
        to[i] = becomes[(size_t)to[i]];
    free(becomes);
    return 0;
}

/* {file, rows, crc32} for HELLO and the trace. */
static int tell(struct dataset *d, const struct part *p, const struct rows *r, struct err *e)
{
    json_t *one = json_object();
    const char *said = is_shard(p) ? meta_text(p->shard.record.meta, "crc32") : NULL;
    int status = one == NULL ? err_memory(e) : meta_set(one, "file", e, "%s", p->file);
    if (status == 0 && said != NULL)
        status = meta_set(one, "crc32", e, "%s", said);
    else if (status == 0)
        status = meta_set(one, "crc32", e, "%08x", (unsigned)shard_crc(r));
    if (status == 0 && (json_object_set_new(one, "rows", json_integer((json_int_t)r->n)) < 0 ||
                        json_array_append(d->shards, one) < 0))
        status = err_memory(e);
    json_decref(one);
    return status;
}

static int join_part(struct dataset *d, size_t i, size_t at, struct err *e)
{
    const struct part *p = &((struct store *)d->store)->v[i];
    struct rows *r = &d->parts[i];
    if (tell(d, p, r, e) < 0 || join_labels(d, p, r, d->labels + at, e) < 0)
        return -1;
    r->labels = d->labels + at;
    return 0;
}

static size_t count_raw(const struct store *s)
{
    size_t raw = 0;
    for (size_t i = 0; i < s->n; i++)
        raw += !is_shard(&s->v[i]);
    return raw;
}

/* How raw rows are made rows of numbers; it becomes part of what is said of them. */
static int find_encoding(struct dataset *d, struct err *e)
{
    struct store *s = d->store;
    size_t raw = count_raw(s);
    if (raw == 0)
        return 0;
    if (encoding_settle(&s->encoding, e) < 0 || encoding_check(&s->encoding, raw < s->n, true, d->name, e) < 0)
        return -1;
    if (d->meta == NULL && (d->meta = json_object()) == NULL)
        return err_memory(e);
    return encoding_describe(&s->encoding, d->meta, e);
}

/* Scaling that the rows are to have, and which becomes part of what is said of them. */
static int find_scaling(struct scaling *s, struct dataset *d, const struct input *in, struct err *e)
{
    json_t *json = in->like ? json_object_get(in->like, "scaling") : NULL;
    if (json == NULL || count_raw(d->store) == 0)
        return 0;
    if (d->meta == NULL && (d->meta = json_object()) == NULL)
        return err_memory(e);
    json_object_set(d->meta, "scaling", json);
    return scaling_parse(s, json, e);
}

static int join(struct dataset *d, const struct scaling *scaling, const struct input *in, size_t limit,
                struct err *e)
{
    struct store *s = d->store;
    d->n_parts = s->n;
    d->parts = mem_new(s->n, sizeof *d->parts, e);
    d->shards = json_array();
    if (d->parts == NULL || d->shards == NULL)
        return err_memory(e);
    if (in->classes != NULL && classes_merge(&d->classes, in->classes, e) < 0)
        return -1;
    if (level_weights(s, e) < 0)
        return -1;
    for (size_t i = 0; i < s->n; i++) {
        if (finish_part(&s->v[i], &s->encoding, scaling, &d->parts[i], limit, e) < 0)
            return -1;
        if (classes_merge(&d->classes, classes_of(&s->v[i]), e) < 0)
            return err_ctx(e, "%s", s->v[i].file);
        d->rows += d->parts[i].n;
        if (d->parts[i].features > d->features)
            d->features = d->parts[i].features;
    }
    d->labels = mem_new(d->rows, sizeof *d->labels, e);
    if (d->labels == NULL)
        return -1;
    for (size_t i = 0, at = 0; i < s->n; at += d->parts[i++].n)
        if (join_part(d, i, at, e) < 0)
            return -1;
    return 0;
}

int store_join(struct dataset *d, const struct input *in, size_t limit, const struct log *log, struct err *e)
{
    struct scaling scaling = { 0 };
    int status = find_encoding(d, e);
    if (status == 0)
        status = find_scaling(&scaling, d, in, e);
    if (status == 0)
        status = join(d, &scaling, in, limit, e);
    scaling_free(&scaling);
    if (status == 0) {
        warn_beyond(d->store, limit, log);
        encoding_tell(&((struct store *)d->store)->encoding, log);
    }
    return status;
}
