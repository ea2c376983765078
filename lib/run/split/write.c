/* Rows in the order of their places become shards, which all appear or none. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/out.h"
#include "data/shard.h"
#include "run/split/deal.h"
#include "run/split/pattern.h"
#include "run/split/state.h"

enum { CHUNK = 1 << 20 /* bytes of rows that are transformed at a time */ };
static const double SPREAD = 1.02; /* of the entries of shards */

/* Shards 0, 1 ..., and as the last of the files, though its rows come first, that of those held out. */
struct writing {
    struct splitting *g;
    struct out *files; /* (shards + 1) */
    struct out stream; /* of all shards, where they are no files */
    size_t at;         /* the shard in hand; SIZE_MAX: none yet */
    uint64_t end;      /* place behind its last row */
    size_t rows;       /* of it so far, */
    double label;      /* whose first has this one, */
    bool mixed;        /* and another one another */
    struct builder chunk;
    struct shard_writer shard;
};

static bool is_held(const struct writing *w)
{
    return w->at == w->g->order.shards;
}

/* All that is done to the rows of a chunk before they are written. */
static int transform(struct writing *w, struct err *e)
{
    const struct stock *d = &w->g->data;
    if (d->as_read && encoding_apply(&d->encoding, &w->chunk, e) < 0)
        return -1;
    return scaling_apply(&w->g->scaling, &w->chunk, e);
}

static int end_chunk(struct writing *w, struct err *e)
{
    if (w->chunk.n == 0)
        return 0;
    if (transform(w, e) < 0)
        return -1;
    struct rows r = builder_rows(&w->chunk);
    if (shard_add(&w->shard, &r, e) < 0)
        return -1;
    builder_clear(&w->chunk);
    return 0;
}

/* Appends a row as it was read. Rows that are held out keep their weight: what is measured on them is measured on rows
 * as they are. */
static int gather(struct writing *w, const struct rows *r, size_t i, struct err *e)
{
    struct splitting *g = w->g;
    struct builder *b = &w->chunk;
    struct rows one = rows_cut(r, i, 1);
    bool balanced = g->balance.factor != NULL && !is_held(w);
    if (b->n == 0) {
        b->kind = r->kind;
        b->scale = r->scale;
        b->features = g->features - (g->width - g->data.features);
        b->weighted = g->data.weighted || balanced;
    }
    if (builder_append(b, &one, e) < 0)
        return -1;
    if (balanced)
        balance_apply(&g->balance, b, b->n - 1, stock_class(&g->data, r->labels[i]));
    return builder_bytes(b) > CHUNK ? end_chunk(w, e) : 0;
}

/* Input is never changed: no shard may take the place of a file that is read. */
static int spare_input(const struct splitting *g, const char *name, struct err *e)
{
    struct stat to, from;
    if (stat(name, &to) < 0 || !S_ISREG(to.st_mode))
        return 0;
    for (size_t i = 0; i < g->n; i++)
        if (stat(g->paths[i], &from) == 0 && from.st_dev == to.st_dev && from.st_ino == to.st_ino)
            return err_set(e, ERR_USAGE, "%s: is an input, a shard would replace it", name);
    return 0;
}

/* Name of the file in hand, new; NULL: e. */
static char *name_of(const struct writing *w, struct err *e)
{
    const struct split *s = w->g->s;
    if (is_held(w))
        return mem_text(s->hold_out_file, e);
    return w->g->folder == NULL ? mem_text("a shard", e) : pattern_name(s->pattern, w->at, e);
}

static int begin_shard(struct writing *w, struct err *e)
{
    struct order *o = &w->g->order;
    if (w->at == SIZE_MAX && o->held > 0)
        w->at = o->shards;
    else
        w->at = w->at == SIZE_MAX || is_held(w) ? 0 : w->at + 1;
    uint64_t begin = is_held(w) ? 0 : o->begin[w->at];
    w->end = is_held(w) ? o->held : o->begin[w->at + 1];
    w->shard.expected = (size_t)(w->end - begin);
    w->shard.expected_entries = (size_t)((double)w->g->data.stored / (double)w->g->data.rows * SPREAD *
                                         (double)w->shard.expected);
    w->rows = 0;
    w->mixed = false;
    if (w->g->folder == NULL && !is_held(w))
        return 0;
    char *name = name_of(w, e);
    int status = name == NULL || spare_input(w->g, name, e) < 0 ? -1 : out_open(&w->files[w->at], name, e);
    free(name);
    return status;
}

static int note_single(struct writing *w, struct err *e)
{
    struct splitting *g = w->g;
    if (w->mixed || is_held(w) || w->rows == 1 || g->data.classes.n < 2 || g->single++ > 0)
        return 0;
    g->single_name = name_of(w, e);
    return g->single_name == NULL ? -1 : 0;
}

static int end_shard(struct writing *w, struct err *e)
{
    const struct splitting *g = w->g;
    bool stream = g->folder == NULL && !is_held(w);
    struct out *o = stream ? &w->stream : &w->files[w->at];
    struct shard_note note = { &g->data.classes, g->data.meta, g->source, g->s->seed, is_held(w) ? 0 : w->at,
                               is_held(w) ? 1 : g->s->shards };
    if (w->at == SIZE_MAX)
        return 0;
    if (end_chunk(w, e) < 0 || shard_end(&w->shard, o, &note, e) < 0 || note_single(w, e) < 0)
        return -1;
    return stream ? 0 : out_finish(o, e);
}

static int put(void *self, const struct rows *r, size_t i, uint64_t place, struct err *e)
{
    struct writing *w = self;
    if ((w->at == SIZE_MAX || place == w->end) && (end_shard(w, e) < 0 || begin_shard(w, e) < 0))
        return -1;
    if (w->rows++ == 0)
        w->label = r->labels[i];
    w->mixed = w->mixed || r->labels[i] != w->label;
    return gather(w, r, i, e);
}

static int write_rows(struct writing *w, struct err *e)
{
    struct splitting *g = w->g;
    struct deal d = { &g->data, &g->order, g->memory, g->folder, w, put };
    if (g->folder == NULL && out_open(&w->stream, "-", e) < 0)
        return -1;
    if (deal_all(&d, e) < 0 || end_shard(w, e) < 0)
        return -1;
    return g->folder == NULL ? out_commit(&w->stream, e) : 0;
}

int write_all(struct splitting *g, struct err *e)
{
    size_t n = (size_t)g->s->shards + 1;
    struct writing w = { .g = g, .at = SIZE_MAX };
    w.shard.limit = g->memory;
    w.shard.folder = g->folder;
    w.files = mem_new(n, sizeof *w.files, e);
    int status = w.files == NULL ? -1 : write_rows(&w, e);
    if (status == 0)
        status = out_commit_all(w.files, n, e);
    for (size_t k = 0; w.files != NULL && k < n; k++)
        out_abort(&w.files[k]);
    out_abort(&w.stream);
    free(w.files);
    builder_free(&w.chunk);
    shard_writer_free(&w.shard);
    return status;
}
