/* A data set becomes shards, which all appear or none. */
#include "run/split/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out.h"
#include "data/builder.h"
#include "data/encoding.h"
#include "data/scaling.h"
#include "data/shard.h"
#include "run/split/balance.h"
#include "run/split/order.h"
#include "run/shape.h"
#include "run/split/pattern.h"

/* One run. */
struct splitting {
    const struct split *s;
    struct dataset data;
    size_t features;
    struct dataset like; /* --like */
    size_t width;        /* features of rows once they are encoded */
    struct order order;
    struct scaling scaling;
    struct balance balance;
    char *source;       /* names of the files, for the metadata */
    struct builder row; /* the shard in hand */
    size_t single;      /* shards whose rows are all of one class */
    char *single_name;  /* the first of them */
};

static const char *shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
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
    return 0;
}

static int name_source(struct splitting *g, char *const *paths, size_t n, struct err *e)
{
    size_t room = 1, at = 0;
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

/* Rows as wide as --features asks for must fit into memory: a dense row is stored whole. */
static int check_room(const struct splitting *g, struct err *e)
{
    const struct dataset *d = &g->data;
    uint64_t features = g->s->features > 0 ? g->s->features : g->width;
    uint64_t rows = (d->rows + g->s->shards - 1) / g->s->shards;
    enum rows_kind kind = d->parts[0].kind;
    double size = kind == ROWS_BYTES ? 1 : sizeof(float);
    double need = (double)rows * (double)features * size;
    if (kind == ROWS_SPARSE)
        return 0;
    return mem_fits(need, e, "%s: a shard of %llu dense rows of %llu features", d->name,
                    (unsigned long long)rows, (unsigned long long)features);
}

/* At least one row where some are asked for. */
static size_t held_out(const struct splitting *g)
{
    double rows = rint(g->s->hold_out * (double)g->data.rows);
    return g->s->hold_out > 0 ? (size_t)fmax(rows, 1) : 0;
}

/* What the data must be for the shards that were asked for. */
static int check_data(const struct splitting *g, struct err *e)
{
    const struct split *s = g->s;
    const struct dataset *d = &g->data;
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
    for (size_t i = 1; i < d->n_parts; i++)
        if (d->parts[i].kind != d->parts[0].kind || d->parts[i].scale != d->parts[0].scale)
            return err_set(e, ERR_DATA, "%s and a later file differ: floats, bytes or sparse rows",
                           d->name);
    return check_room(g, e);
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void summary(const struct splitting *g)
{
    const struct dataset *d = &g->data;
    uint64_t stored = g->width != d->features ? d->rows * g->width : 0;
    char classes[48] = "labels are targets";
    for (size_t i = 0; i < d->n_parts && g->width == d->features; i++)
        stored += shard_stored(&d->parts[i]);
    if (!d->classes.targets)
        snprintf(classes, sizeof classes, "%zu class%s", d->classes.n,
                 d->classes.n == 1 ? "" : "es");
    log_note(g->s->log, "%zu row%s, %zu feature%s, %s, %llu stored value%s", d->rows,
             plural(d->rows), g->features, plural(g->features), classes, (unsigned long long)stored,
             plural(stored));
}

/* The rows o->row[first .. end). */
static bool weighted(const struct splitting *g, const struct balance *balance)
{
    for (size_t i = 0; i < g->data.n_parts; i++)
        if (g->data.parts[i].weights != NULL)
            return true;
    return balance->factor != NULL;
}

static int gather(struct splitting *g, uint64_t first, uint64_t end, const struct balance *balance, struct err *e)
{
    const struct dataset *d = &g->data;
    struct builder *b = &g->row;
    b->kind = d->parts[0].kind;
    b->scale = d->parts[0].scale;
    b->features = g->features - (g->width - d->features);
    b->n = b->entries = 0;
    b->weighted = weighted(g, balance);
    for (uint64_t i = first; i < end; i++) {
        uint64_t row = g->order.row[i];
        const struct rows *part = dataset_find(d, &row);
        if (builder_copy(b, part, row, e) < 0)
            return -1;
        if (balance->factor != NULL)
            balance_apply(balance, b, b->n - 1, dataset_class(d, g->order.row[i]));
    }
    if (d->encoding != NULL && encoding_apply(d->encoding, b, e) < 0)
        return -1;
    return scaling_apply(&g->scaling, b, e);
}

static int note_single(struct splitting *g, const char *name, struct err *e)
{
    const struct builder *b = &g->row;
    size_t i = 1;
    while (i < b->n && b->labels[i] == b->labels[0])
        i++;
    if (i < b->n || b->n == 1 || g->data.classes.n < 2 || g->single++ > 0)
        return 0;
    g->single_name = mem_text(name, e);
    return g->single_name == NULL ? -1 : 0;
}

static void tell_single(const struct splitting *g)
{
    if (g->single == 1)
        log_note(g->s->log, "%s has rows of one class only", g->single_name);
    if (g->single > 1)
        log_note(g->s->log, "%s and %zu more have rows of one class only", g->single_name,
                 g->single - 1);
}

static int write_rows(struct splitting *g, uint64_t first, uint64_t end, const struct balance *balance,
                      struct shard_note *note, struct out *o, struct err *e)
{
    note->classes = &g->data.classes;
    note->data = g->data.meta;
    note->source = g->source;
    note->seed = g->s->seed;
    if (gather(g, first, end, balance, e) < 0)
        return -1;
    struct rows r = builder_rows(&g->row);
    return shard_write(o, &r, note, e);
}

static int write_shard(struct splitting *g, uint64_t k, struct out *o, struct err *e)
{
    struct shard_note note = { .shard = k, .shards = g->s->shards };
    return write_rows(g, g->order.begin[k], g->order.begin[k + 1], &g->balance, &note, o, e);
}

/* A shard of its own, the only one; what is measured on it is measured on rows as they are. */
static int write_held(struct splitting *g, struct out *o, struct err *e)
{
    struct shard_note note = { .shard = 0, .shards = 1 };
    return write_rows(g, g->order.rows, g->order.rows + g->order.held, &(struct balance){ 0 }, &note, o, e);
}

static int write_stream(struct splitting *g, struct out *held, struct err *e)
{
    struct out o = { 0 };
    int status = out_open(&o, "-", e);
    for (uint64_t k = 0; k < g->s->shards && status == 0; k++) {
        status = write_shard(g, k, &o, e);
        if (status == 0)
            status = note_single(g, "a shard", e);
    }
    if (status == 0)
        status = out_commit(&o, e);
    if (status == 0)
        return out_commit_all(held, g->order.held > 0, e);
    out_abort(&o);
    return -1;
}

/* Input is never changed: no shard may take the place of a file that is read. */
static int spare_input(const char *name, char *const *paths, size_t n, struct err *e)
{
    struct stat to, from;
    if (stat(name, &to) < 0 || !S_ISREG(to.st_mode))
        return 0;
    for (size_t i = 0; i < n; i++)
        if (stat(paths[i], &from) == 0 && from.st_dev == to.st_dev && from.st_ino == to.st_ino)
            return err_set(e, ERR_USAGE, "%s: is an input, a shard would replace it", name);
    return 0;
}

static int write_file(struct splitting *g, uint64_t k, struct out *o, char *const *paths, size_t n,
                      struct err *e)
{
    char *name = pattern_name(g->s->pattern, k, e);
    if (name == NULL)
        return -1;
    int status = spare_input(name, paths, n, e);
    if (status == 0)
        status = out_open(o, name, e);
    if (status == 0)
        status = write_shard(g, k, o, e);
    if (status == 0)
        status = note_single(g, name, e);
    free(name);
    return status == 0 ? out_finish(o, e) : -1;
}

static int write_held_file(struct splitting *g, struct out *o, char *const *paths, size_t n, struct err *e)
{
    if (g->order.held == 0)
        return 0;
    if (spare_input(g->s->hold_out_file, paths, n, e) < 0 || out_open(o, g->s->hold_out_file, e) < 0 ||
        write_held(g, o, e) < 0)
        return -1;
    return out_finish(o, e);
}

/* All files appear, or none. */
static int write_all(struct splitting *g, char *const *paths, size_t n, struct err *e)
{
    size_t shards = strcmp(g->s->pattern, "-") == 0 ? 0 : (size_t)g->s->shards;
    struct out *o = mem_new(shards + 1, sizeof *o, e);
    int status = o == NULL ? -1 : write_held_file(g, &o[shards], paths, n, e);
    for (size_t k = 0; k < shards && status == 0; k++)
        status = write_file(g, k, &o[k], paths, n, e);
    if (status == 0)
        status = shards == 0 ? write_stream(g, o, e) : out_commit_all(o, shards + (g->order.held > 0), e);
    for (size_t k = 0; o != NULL && k <= shards; k++)
        out_abort(&o[k]);
    free(o);
    return status;
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

/* Reads the data; with --like so as those of that shard were read, scaled and named. */
static int read_data(struct splitting *g, char *const *paths, size_t n, struct err *e)
{
    struct input in = g->s->input;
    char *like = (char *)g->s->like;
    if (like != NULL && dataset_read(&g->like, &like, 1, &(struct input){ 0 }, 0, g->s->log, e) < 0)
        return -1;
    if (like != NULL) {
        in.like = g->like.meta;
        in.classes = &g->like.classes;
    }
    in.as_read = true;
    if (dataset_read(&g->data, paths, n, &in, g->like.features, g->s->log, e) < 0)
        return -1;
    if (like != NULL && same_columns(g, e) < 0)
        return -1;
    g->width = g->data.features;
    if (g->data.encoding != NULL)
        g->width = encoding_width(g->data.encoding, g->width);
    return 0;
}

/* What becomes of categories and missing values, by the rows of the shards. */
static int find_encoding(struct splitting *g, struct err *e)
{
    struct dataset *d = &g->data;
    if (d->encoding == NULL)
        return 0;
    if (encoding_begin(d->encoding, d->features, e) < 0)
        return -1;
    for (size_t i = 0; i < g->order.rows; i++) {
        uint64_t row = g->order.row[i];
        const struct rows *part = dataset_find(d, &row);
        encoding_meet(d->encoding, part, (size_t)row);
    }
    return encoding_end(d->encoding, e) < 0 ? -1 : encoding_describe(d->encoding, d->meta, e);
}

/* Width, order, and the scaling that the rows of the shards ask for. */
static int prepare(struct splitting *g, struct err *e)
{
    const struct split *s = g->s;
    struct dataset *d = &g->data;
    g->features = s->features > 0 ? (size_t)s->features : g->width;
    if (g->features < g->like.features)
        g->features = g->like.features;
    if (order_find(&g->order, &s->how, d, (size_t)s->shards, held_out(g), s->seed, e) < 0 ||
        find_encoding(g, e) < 0)
        return -1;
    if (s->balance && balance_find(&g->balance, d, g->order.row, g->order.rows, e) < 0)
        return -1;
    if (s->scale.plug == NULL)
        return 0;
    if (json_object_get(d->meta, "scaling") != NULL)
        return err_set(e, ERR_USAGE, "%s: rows that are scaled already: leave out --scale", d->name);
    if (scaling_find(&g->scaling, s->scale.plug, d, d->encoding, g->order.row, g->order.rows, e) < 0)
        return -1;
    return json_object_set_new(d->meta, "scaling", scaling_json(&g->scaling)) < 0 ? err_memory(e) : 0;
}

static int split_data(struct splitting *g, char *const *paths, size_t n, struct err *e)
{
    if (read_data(g, paths, n, e) < 0 || check_data(g, e) < 0 || name_source(g, paths, n, e) < 0 ||
        prepare(g, e) < 0 || write_all(g, paths, n, e) < 0)
        return -1;
    summary(g);
    tell_single(g);
    return 0;
}

int split_run(const struct split *s, char *const *paths, size_t n, struct err *e)
{
    static char input[] = "-";
    char *const none[] = { input };
    struct splitting g = { .s = s };
    if (check_conf(s, e) < 0)
        return -1;
    if (n == 0 && isatty(STDIN_FILENO))
        return err_set(e, ERR_USAGE,
                       "no data: standard input is a terminal (see dsgd-shard --help)");
    int status = split_data(&g, n ? paths : none, n ? n : 1, e);
    free(g.single_name);
    free(g.source);
    builder_free(&g.row);
    scaling_free(&g.scaling);
    balance_free(&g.balance);
    order_free(&g.order);
    dataset_free(&g.data);
    dataset_free(&g.like);
    return status;
}
