/* The rows of all operands. */
#include "data/stock.h"

#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/mem.h"
#include "data/clip.h"
#include "data/operands.h"

enum { CHUNK = BLOCK_SIZE(1 << 20, 1 << 10) /* bytes of a shard that are taken at a time */ };

static struct stock_part *add_part(struct stock *s, const char *file, bool raw, struct err *e)
{
    if (mem_grow(&s->parts, &s->cap, s->n_parts + 1, sizeof *s->parts, e) < 0)
        return NULL;
    struct stock_part *p = &s->parts[s->n_parts];
    *p = (struct stock_part){ mem_text(file, e), s->rows, s->rows, raw, false, { 0 }, { 0 } };
    if (p->file == NULL)
        return NULL;
    s->n_parts++;
    return p;
}

static struct stock_part *last_part(const struct stock *s)
{
    return s->n_parts > 0 ? &s->parts[s->n_parts - 1] : NULL;
}

/* What a builder left out. */
static void note_beyond(struct stock *s, struct builder *b)
{
    if (s->beyond == NULL) {
        s->beyond = b->beyond;
        b->beyond = NULL;
    }
    s->beyond_rows += b->beyond_rows;
    b->beyond_rows = 0;
}

/* The first rows say what all are. */
static int check_kind(struct stock *s, const struct rows *r, struct err *e)
{
    struct builder *b = &s->pile.rows;
    if (s->rows == 0) {
        b->kind = r->kind;
        b->scale = r->scale;
        b->features = r->features;
    }
    if (r->kind == b->kind && r->scale == b->scale)
        return 0;
    return err_set(e, ERR_DATA, "%s and a later file differ: floats, bytes or sparse rows", s->name);
}

/* Dense rows in memory become as wide as those that come. */
static int widen(struct builder *b, size_t features, struct err *e)
{
    struct rows narrow = builder_rows(b);
    struct builder wide = { .kind = b->kind, .scale = b->scale, .features = features };
    if (builder_append(&wide, &narrow, e) < 0) {
        builder_free(&wide);
        return -1;
    }
    wide.gone = b->gone;
    builder_free(b);
    *b = wide;
    return 0;
}

static int keep(struct stock *s, const struct rows *r, struct err *e)
{
    struct builder *b = &s->pile.rows;
    if (check_kind(s, r, e) < 0)
        return -1;
    if (r->features > b->features && r->kind != ROWS_SPARSE && widen(b, r->features, e) < 0)
        return -1;
    if (builder_append(b, r, e) < 0)
        return -1;
    s->rows += r->n;
    s->stored += shard_stored(r);
    s->weighted = s->weighted || r->weights != NULL;
    if (r->features > s->features)
        s->features = r->features;
    last_part(s)->end = s->rows;
    return pile_relieve(&s->pile, e);
}

/* Rows from number `first` of a file on, without the features that nobody wants. */
static int take(struct stock *s, const struct rows *r, const char *file, size_t first, struct err *e)
{
    struct builder narrow = { 0 };
    if (s->limit == 0 || r->features <= s->limit)
        return keep(s, r, e);
    int status = clip_rows(&narrow, r, s->limit, file, first, e);
    if (status == 0) {
        struct rows kept = builder_rows(&narrow);
        note_beyond(s, &narrow);
        status = keep(s, &kept, e);
    }
    builder_free(&narrow);
    return status;
}

static struct builder *take_rows(void *self, const char *name, struct err *e)
{
    struct stock *s = self;
    if (s->n_parts > 0 && last_part(s)->raw)
        return &s->incoming;
    s->incoming.limit = s->limit;
    s->incoming.encoding = &s->encoding;
    return add_part(s, name, true, e) == NULL ? NULL : &s->incoming;
}

/* What a model knows of columns is done to rows at once. */
static int encode(struct stock *s, struct err *e)
{
    if (!s->like)
        return 0;
    return encoding_settle(&s->encoding, e) < 0 ? -1 : encoding_apply(&s->encoding, &s->incoming, e);
}

static int take_more(void *self, struct err *e)
{
    struct stock *s = self;
    struct builder *b = &s->incoming;
    size_t width = b->features;
    if (b->n == 0)
        return 0;
    if (encode(s, e) < 0)
        return -1;
    struct rows r = builder_rows(b);
    for (size_t i = 0; i < r.n; i++)
        s->weights += rows_weight(&r, i);
    s->weighed += (double)r.n;
    if (take(s, &r, last_part(s)->file, b->gone, e) < 0)
        return -1;
    note_beyond(s, b);
    builder_clear(b);
    b->features = b->kind == ROWS_SPARSE ? b->features : width;
    return 0;
}

/* No more rows come to the raw part that is last. */
static int end_raw(struct stock *s, struct err *e)
{
    struct stock_part *p = last_part(s);
    if (p == NULL || !p->raw)
        return 0;
    p->weighted = s->incoming.weighted;
    if (labels_close(&s->incoming.spellings, &p->classes, &p->key, e) < 0)
        return err_ctx(e, "%s", p->file);
    builder_free(&s->incoming);
    return 0;
}

static int copy_shard(struct stock *s, const struct rows *r, const char *name, struct err *e)
{
    uint64_t bytes = shard_stored(r) * sizeof(float);
    size_t step = (size_t)(r->n / (bytes / CHUNK + 1)) + 1;
    for (size_t i = 0; i < r->n; i += step) {
        struct rows some = rows_cut(r, i, r->n - i < step ? r->n - i : step);
        if (take(s, &some, name, i, e) < 0)
            return -1;
    }
    return 0;
}

static int take_shard(void *self, struct shard *shard, const char *name, struct err *e)
{
    struct stock *s = self;
    struct stock_part *p = end_raw(s, e) < 0 ? NULL : add_part(s, name, false, e);
    int status = -1;
    if (p != NULL) {
        p->classes = shard->classes;
        shard->classes = (struct classes){ 0 };
        status = copy_shard(s, &shard->rows, name, e);
    }
    shard_free(shard);
    return status;
}

static int take_meta(void *self, const json_t *more, struct err *e)
{
    struct stock *s = self;
    return operands_meta(&s->meta, more, e);
}

static size_t rows_of(const void *self)
{
    return ((const struct stock *)self)->rows;
}

/* The index among a part's own classes becomes that among all. */
static int join_names(const struct classes *all, struct stock_part *p, struct err *e)
{
    const struct classes *own = &p->classes;
    if (!own->named)
        return 0;
    double *becomes = classes_places(all, own, e);
    if (becomes == NULL)
        return -1;
    if (p->raw) {
        for (size_t i = 0; i < p->key.n; i++)
            p->key.becomes[i] = becomes[(size_t)p->key.becomes[i]];
        free(becomes);
    } else {
        p->key = (struct labels_key){ becomes, own->n, UINT64_MAX };
    }
    return 0;
}

/* Where no model says how rows are encoded, all of them are needed to find it. */
static int find_encoding(struct stock *s, struct err *e)
{
    struct encoding *c = &s->encoding;
    size_t raw = 0;
    for (size_t i = 0; i < s->n_parts; i++)
        raw += s->parts[i].raw;
    if (raw == 0)
        return 0;
    if (encoding_settle(c, e) < 0)
        return -1;
    s->as_read = !s->like && encoding_changes(c);
    if (encoding_check(c, raw < s->n_parts, !s->as_read, s->name, e) < 0)
        return -1;
    return s->as_read ? 0 : encoding_describe(c, s->meta, e);
}

static int join(struct stock *s, const struct input *in, struct err *e)
{
    if (end_raw(s, e) < 0 || (in->classes != NULL && classes_merge(&s->classes, in->classes, e) < 0))
        return -1;
    if (s->weighed > 0 && s->weights <= 0)
        return err_set(e, ERR_DATA, "%s: the weights of all rows are 0", s->name);
    for (size_t i = 0; i < s->n_parts; i++)
        if (classes_merge(&s->classes, &s->parts[i].classes, e) < 0)
            return err_ctx(e, "%s", s->parts[i].file);
    for (size_t i = 0; i < s->n_parts; i++)
        if (join_names(&s->classes, &s->parts[i], e) < 0)
            return -1;
    if (find_encoding(s, e) < 0)
        return -1;
    return pile_close(&s->pile, &s->blocks, e);
}

int stock_read(struct stock *s, char *const *paths, size_t n, const struct input *in, size_t limit, size_t memory,
               const char *folder, const struct log *log, struct err *e)
{
    const struct intake to = { s, take_rows, take_more, take_shard, take_meta, rows_of };
    s->limit = limit;
    s->like = in->like != NULL;
    s->temp.folder = folder;
    s->pile.temp = &s->temp;
    s->pile.limit = memory;
    s->name = operands_name(paths, n, e);
    if (s->name == NULL || encoding_open(&s->encoding, in, e) < 0 || operands_read(&to, paths, n, in, log, e) < 0 || join(s, in, e) < 0)
        return -1;
    clip_warn(s->beyond, s->beyond_rows, limit, log);
    encoding_tell(&s->encoding, log);
    return 0;
}

/* Labels and weights of the rows of a block that are of part p. */
static void settle(const struct stock *s, const struct stock_part *p, size_t first, struct builder *b)
{
    size_t from = p->first > first ? p->first : first;
    size_t end = p->end < first + b->n ? p->end : first + b->n;
    if (from >= end)
        return;
    labels_turn(&p->key, b->labels + (from - first), from - p->first, end - from);
    for (size_t i = from; p->weighted && i < end; i++)
        b->weights[i - first] = (float)(b->weights[i - first] * s->weighed / s->weights);
}

int stock_block(struct stock *s, size_t i, struct rows *r, uint64_t *first, struct err *e)
{
    *first = 0;
    if (pile_block(&s->pile, i, e) < 0 || (s->weighted && builder_weigh(&s->pile.rows, e) < 0))
        return -1;
    for (size_t k = 0; k < i; k++)
        *first += s->pile.v[k].n;
    for (size_t k = 0; !s->settled && k < s->n_parts; k++)
        settle(s, &s->parts[k], *first, &s->pile.rows);
    s->settled = pile_whole(&s->pile);
    *r = builder_rows(&s->pile.rows);
    if (r->kind == ROWS_SPARSE)
        r->features = s->features;
    return 0;
}

void stock_free(struct stock *s)
{
    for (size_t i = 0; i < s->n_parts; i++) {
        free(s->parts[i].file);
        classes_free(&s->parts[i].classes);
        labels_key_free(&s->parts[i].key);
    }
    free(s->parts);
    pile_free(&s->pile);
    temp_close(&s->temp);
    builder_free(&s->incoming);
    encoding_free(&s->encoding);
    classes_free(&s->classes);
    json_decref(s->meta);
    free(s->name);
    free(s->beyond);
    *s = (struct stock){ 0 };
}
