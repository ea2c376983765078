/* A data set becomes shards, which all appear or none. */
#include "run/split/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "run/outputs.h"
#include "run/shape.h"
#include "run/split/pattern.h"
#include "run/split/state.h"

/* A step of the work keeps rows read, rows in order and rows to be written, each growing by halves. */
enum { SHARE = 4 };

static const char *shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

/* No shard is the file of what is held out. */
static int check_held(const struct split *s, struct err *e)
{
    bool stream = strcmp(s->pattern, "-") == 0;
    int status = 0;
    for (uint64_t k = 0; s->hold_out_file != NULL && status == 0 && k < (stream ? 1 : s->shards); k++) {
        char *name = pattern_name(s->pattern, k, e);
        struct output v[] = { { "--output", name, -1 }, { "--hold-out-file", s->hold_out_file, -1 } };
        status = name == NULL ? -1 : outputs_distinct(v, sizeof v / sizeof v[0], e);
        free(name);
    }
    return status;
}

static int check_conf(const struct split *s, struct err *e)
{
    bool numbered;
    if (pattern_check(s->pattern, &numbered, e) < 0)
        return err_ctx(e, "--output");
    if (s->shards > 1 && !numbered && strcmp(s->pattern, "-") != 0)
        return err_set(e, ERR_USAGE, "--output '%s' needs %%d for %llu shards", s->pattern,
                       (unsigned long long)s->shards);
    if ((s->hold_out > 0) != (s->hold_out_file != NULL))
        return err_set(e, ERR_USAGE, "--hold-out and --hold-out-file go together");
    if (s->like != NULL && s->scale.plug != NULL)
        return err_set(e, ERR_USAGE, "--scale and --like: rows are scaled as those of %s", s->like);
    return check_held(s, e);
}

static int name_source(struct splitting *g, struct err *e)
{
    char *const *paths = g->paths;
    size_t room = 1, at = 0, n = g->n;
    for (size_t i = 0; i < n; i++)
        room += strlen(shown(paths[i])) + 1;
    g->source = mem_new(room, 1, e);
    for (size_t i = 0; g->source != NULL && i < n; i++) {
        size_t length = strlen(shown(paths[i]));
        if (i > 0)
            g->source[at++] = ' ';
        memcpy(g->source + at, shown(paths[i]), length);
        at += length;
    }
    return g->source == NULL ? -1 : 0;
}

/* At least one row where some are asked for. */
static size_t held_out(const struct splitting *g)
{
    double rows = rint(g->s->hold_out * (double)g->data.rows);
    return g->s->hold_out > 0 ? (size_t)fmax(rows, 1) : 0;
}

/* Dense rows are stored whole, as wide as --features asks for: one must fit into memory, all of them on the disk. */
static int check_room(const struct splitting *g, struct err *e)
{
    const struct stock *d = &g->data;
    uint64_t features = g->s->features > 0 ? g->s->features : g->width;
    double row = (double)features * (d->pile.rows.kind == ROWS_BYTES ? 1 : sizeof(float));
    struct statvfs disk;
    if (d->pile.rows.kind == ROWS_SPARSE)
        return 0;
    if (mem_fits(row, e, "%s: a dense row of %llu features", d->name, (unsigned long long)features) < 0)
        return -1;
    if (g->folder == NULL || statvfs(g->folder, &disk) < 0)
        return 0;
    double have = (double)disk.f_bavail * (double)disk.f_frsize, need = row * (double)d->rows;
    return need <= have ? 0 : err_set(e, ERR_SYSTEM, "%s: %zu dense rows of %llu features need %.1f GB; the disk of %s "
                                      "has %.1f GB left", d->name, d->rows, (unsigned long long)features, need / 1e9,
                                      g->folder, have / 1e9);
}

/* What the data must be for the shards that were asked for. */
static int check_data(const struct splitting *g, struct err *e)
{
    const struct split *s = g->s;
    const struct stock *d = &g->data;
    if (s->shards > d->rows - held_out(g))
        return err_set(e, ERR_USAGE,
                       "%s: %llu shards of %zu rows: there cannot be more shards than rows",
                       d->name, (unsigned long long)s->shards, d->rows - held_out(g));
    if (s->features > 0 && s->features < g->width)
        return err_set(e, ERR_USAGE, "%s: --features %llu: the data have %zu", d->name,
                       (unsigned long long)s->features, g->width);
    if (s->features > INT32_MAX)
        return err_set(e, ERR_USAGE, "--features %llu: at most %d", (unsigned long long)s->features,
                       INT32_MAX);
    return check_room(g, e);
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void summary(const struct splitting *g)
{
    const struct stock *d = &g->data;
    uint64_t stored = g->width != d->features ? (uint64_t)d->rows * g->width : d->stored;
    char classes[48] = "labels are targets";
    if (!d->classes.targets)
        snprintf(classes, sizeof classes, "%zu class%s", d->classes.n,
                 d->classes.n == 1 ? "" : "es");
    log_note(g->s->log, "%zu row%s, %zu feature%s, %s, %llu stored value%s", d->rows,
             plural(d->rows), g->features, plural(g->features), classes, (unsigned long long)stored,
             plural(stored));
}

/* Labels that --like knows nothing of: its model will take them for something else. */
static void tell_new_labels(const struct splitting *g)
{
    const struct classes *c = &g->data.classes, *known = &g->like.classes;
    size_t more = 0, first = 0;
    for (size_t k = 0; known->n > 0 && c->named == known->named && k < c->n; k++) {
        long at = c->named ? classes_find_name(known, c->v[k].name) : classes_find_value(known, c->v[k].value);
        first = at < 0 && more == 0 ? k : first;
        more += at < 0;
    }
    if (more > 0)
        log_note(g->s->log, "%s: label %s: %s has no such class (%zu label%s that it does not have)", c->v[first].where,
                 c->v[first].name, g->s->like, more, plural(more));
}

static void tell_single(const struct splitting *g)
{
    if (g->single == 1)
        log_note(g->s->log, "%s has rows of one class only", g->single_name);
    if (g->single > 1)
        log_note(g->s->log, "%s and %zu more have rows of one class only", g->single_name,
                 g->single - 1);
}

/* Names of columns that both know must be the same at the same places. */
static int same_columns(const struct splitting *g, struct err *e)
{
    const char *is, *was;
    size_t column = shape_other_column(g->data.meta, g->like.meta, &is, &was);
    if (column == 0)
        return 0;
    return err_set(e, ERR_DATA, "%s: feature %zu is '%.100s', that of %s '%.100s'", g->data.name, column, is, g->s->like,
                   was);
}

/* Reads the data; with --like so as those of that shard were read and named. */
static int read_data(struct splitting *g, struct err *e)
{
    const struct split *s = g->s;
    struct input in = s->input;
    char *like = (char *)s->like;
    if (like != NULL && dataset_read(&g->like, &like, 1, &(struct input){ 0 }, 0, s->log, e) < 0)
        return -1;
    if (like != NULL) {
        in.like = g->like.meta;
        in.classes = &g->like.classes;
    }
    if (stock_read(&g->data, g->paths, g->n, &in, g->like.features, g->memory, g->folder, s->log, e) < 0)
        return -1;
    if (like != NULL && same_columns(g, e) < 0)
        return -1;
    if (like != NULL)
        shape_tell_bytes(g->data.meta, g->data.name, g->like.meta, s->like, s->log);
    g->width = g->data.as_read ? encoding_width(&g->data.encoding, g->data.features) : g->data.features;
    return 0;
}

/* Calls `meet` for every row of the shards. */
static int each_row(struct splitting *g, int (*meet)(struct splitting *, const struct rows *, size_t, struct err *),
                    struct err *e)
{
    struct rows r;
    uint64_t first;
    for (size_t i = 0; i < g->data.blocks; i++) {
        if (stock_block(&g->data, i, &r, &first, e) < 0)
            return -1;
        for (size_t k = 0; k < r.n; k++)
            if (order_place(&g->order, first + k) >= g->order.held && meet(g, &r, k, e) < 0)
                return -1;
    }
    return 0;
}

static int meet_read(struct splitting *g, const struct rows *r, size_t i, struct err *e)
{
    (void)e;
    if (g->balance.factor != NULL)
        balance_meet(&g->balance, stock_class(&g->data, r->labels[i]), rows_weight(r, i));
    if (g->data.as_read)
        encoding_meet(&g->data.encoding, r, i);
    return 0;
}

/* The rows of a chunk, as the shards will have them. */
static int meet_chunk(struct splitting *g, struct err *e)
{
    struct builder *b = &g->chunk;
    if (g->data.as_read && encoding_apply(&g->data.encoding, b, e) < 0)
        return -1;
    const struct rows r = builder_rows(b);
    for (size_t i = 0; i < r.n; i++)
        scaling_meet(&g->scaling, &r, i);
    builder_clear(b);
    return 0;
}

static int meet_encoded(struct splitting *g, const struct rows *r, size_t i, struct err *e)
{
    enum { AT_ONCE = 256 };
    struct rows one = rows_cut(r, i, 1);
    struct builder *b = &g->chunk;
    if (b->n == 0) {
        b->kind = r->kind;
        b->scale = r->scale;
        b->features = g->data.features;
    }
    if (builder_append(b, &one, e) < 0)
        return -1;
    return b->n == AT_ONCE ? meet_chunk(g, e) : 0;
}

/* What must be known of the rows of the shards: first what is found in them as they were read, then in them as they
 * are encoded. */
static int look_at_rows(struct splitting *g, struct err *e)
{
    struct stock *d = &g->data;
    if (d->as_read && encoding_begin(&d->encoding, d->features, e) < 0)
        return -1;
    if ((d->as_read || g->balance.factor != NULL) && each_row(g, meet_read, e) < 0)
        return -1;
    balance_settle(&g->balance);
    if (d->as_read && (encoding_end(&d->encoding, g->s->log, e) < 0 || encoding_describe(&d->encoding, d->meta, e) < 0))
        return -1;
    if (g->scaling.moments != NULL && (each_row(g, meet_encoded, e) < 0 || meet_chunk(g, e) < 0))
        return -1;
    scaling_settle(&g->scaling);
    return 0;
}

static int begin_balance(struct splitting *g, struct err *e)
{
    const struct stock *d = &g->data;
    if (!g->s->balance)
        return 0;
    if (d->classes.targets)
        return err_set(e, ERR_USAGE, "%s: --balance: labels are targets, not classes", d->name);
    return balance_begin(&g->balance, d->classes.n, e);
}

static int begin_scaling(struct splitting *g, struct err *e)
{
    const struct stock *d = &g->data;
    const struct plug *method = g->s->scale.plug;
    if (method == NULL)
        return 0;
    if (json_object_get(d->meta, "scaling") != NULL)
        return err_set(e, ERR_USAGE, "%s: rows that are scaled already: leave out --scale", d->name);
    return scaling_begin(&g->scaling, method, d->pile.rows.kind, g->width, d->name, e);
}

/* Scaling that was found in the rows, or is that of --like; rows that are scaled already have their own. */
static int note_scaling(struct splitting *g, struct err *e)
{
    json_t *meta = g->data.meta, *like = json_object_get(g->like.meta, "scaling");
    if (g->s->scale.plug != NULL)
        return json_object_set_new(meta, "scaling", scaling_json(&g->scaling)) < 0 ? err_memory(e) : 0;
    if (like == NULL || json_object_get(meta, "scaling") != NULL)
        return 0;
    if (json_object_set(meta, "scaling", like) < 0)
        return err_memory(e);
    return scaling_parse(&g->scaling, like, e);
}

/* Width, order, and what will be done to the rows. */
static int prepare(struct splitting *g, struct err *e)
{
    const struct split *s = g->s;
    g->features = s->features > 0 ? (size_t)s->features : g->width;
    if (g->features < g->like.features)
        g->features = g->like.features;
    if (order_find(&g->order, &s->how, &g->data, (size_t)s->shards, held_out(g), s->seed, e) < 0 ||
        begin_balance(g, e) < 0 || begin_scaling(g, e) < 0 || look_at_rows(g, e) < 0)
        return -1;
    return note_scaling(g, e);
}

/* Where the shards go. */
static int find_folder(struct splitting *g, struct err *e)
{
    const char *pattern = g->s->pattern, *slash = strrchr(pattern, '/');
    if (strcmp(pattern, "-") == 0)
        return 0;
    g->folder = slash == NULL ? mem_text(".", e) : mem_print(e, "%.*s", (int)(slash - pattern) + 1, pattern);
    return g->folder == NULL ? -1 : 0;
}

static int split_data(struct splitting *g, struct err *e)
{
    if (find_folder(g, e) < 0 || read_data(g, e) < 0 || check_data(g, e) < 0 || name_source(g, e) < 0 ||
        prepare(g, e) < 0 || write_all(g, e) < 0)
        return -1;
    summary(g);
    tell_new_labels(g);
    tell_single(g);
    return 0;
}

int split_run(const struct split *s, char *const *paths, size_t n, struct err *e)
{
    static char input[] = "-";
    char *const none[] = { input };
    struct splitting g = { .s = s, .paths = n ? paths : none, .n = n ? n : 1 };
    if (check_conf(s, e) < 0)
        return -1;
    if (n == 0 && isatty(STDIN_FILENO))
        return err_set(e, ERR_USAGE,
                       "no data: standard input is a terminal (see dsgd-shard --help)");
    g.memory = (size_t)(s->memory / SHARE);
    int status = split_data(&g, e);
    free(g.single_name);
    free(g.source);
    free(g.folder);
    builder_free(&g.chunk);
    scaling_free(&g.scaling);
    balance_free(&g.balance);
    order_free(&g.order);
    stock_free(&g.data);
    dataset_free(&g.like);
    return status;
}
