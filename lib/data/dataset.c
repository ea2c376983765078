/* Operands become the parts of a data set: shards mapped, everything else read into memory. */
#include "data/dataset.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "data/format.h"
#include "data/labelled.h"
#include "data/shard.h"
#include "data/source.h"
#include "data/spool.h"
#include "data/store.h"
#include "data/tensors.h"
#include "data/twice.h"

/* One call of dataset_read. */
struct reading {
    struct dataset *d;
    const struct input *in;
    size_t limit;
    const struct log *log;
    size_t rows; /* so far, of shards */
};

static struct store *store_of(const struct reading *r)
{
    return r->d->store;
}

/* Rows of all parts so far. */
static size_t rows_so_far(const struct reading *r)
{
    size_t rows = r->rows;
    for (size_t i = 0; i < store_of(r)->n; i++)
        rows += store_of(r)->v[i].built.n;
    return rows;
}

/* A record that was read becomes a part, which frees it. */
static int add_shard(struct reading *r, struct record *record, const char *name, struct err *e)
{
    struct part *p = store_add(store_of(r), name, e);
    if (p == NULL) {
        record_free(record);
        return -1;
    }
    p->shard.record = *record;
    if (r->in->format.plug == &format_safetensors.plug && strchr(r->in->format.text, ':') != NULL)
        return err_set(e, ERR_USAGE, "%s: is a shard: %s names tensors of other people's", name, r->in->format.text);
    if (r->in->labels != NULL)
        return err_set(e, ERR_USAGE, "%s: a shard has its labels in it: leave out --labels", name);
    if (shard_take(&p->shard, e) < 0 || shard_verify(&p->shard, e) < 0 ||
        store_meta(r->d, p->shard.data, e) < 0)
        return err_ctx(e, "%s", name);
    r->rows += p->shard.rows.n;
    return 0;
}

/* The builder that raw rows go to: that of the last part, unless it is a shard. */
static struct builder *builder_for(struct reading *r, const char *name, struct err *e)
{
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

/* All rows of a reader, which is closed; NULL: it could not begin. */
static int add_rows(struct reading *r, const struct format *f, void *reader, const char *name, struct err *e)
{
    int more = 1;
    if (reader == NULL)
        return -1;
    while (more > 0)
        more = f->next(reader, e);
    if (more == 0) {
        json_t *meta = f->meta(reader);
        if (store_meta(r->d, meta, e) < 0)
            more = err_ctx(e, "%s", name);
        json_decref(meta);
    }
    f->close(reader);
    return more;
}

static int add_tensors(struct reading *r, struct record *record, const char *name, struct err *e)
{
    struct builder *b = builder_for(r, name, e);
    if (b != NULL && encoding_forget(b->encoding, e) < 0)
        err_ctx(e, "%s", name);
    else if (b != NULL)
        return add_rows(r, &format_safetensors, tensors_open(record, name, b, r->in, e), name, e);
    record_free(record);
    return -1;
}

static int add_record(struct reading *r, struct record *record, const char *name, struct err *e)
{
    return (tensors_foreign(record) ? add_tensors : add_shard)(r, record, name, e);
}

/* The number of the one shard that is wanted of this source, or NULL: all are. */
static const uint64_t *only_of(const struct reading *r, const char *name)
{
    return strcmp(name, SOURCE_STDIN) == 0 ? r->in->only : NULL;
}

static int no_such_shard(const char *name, uint64_t only, uint64_t n, struct err *e)
{
    return err_set(e, ERR_DATA, "%s: %ju shards, none is number %ju (they count from 0)", name,
                   (uintmax_t)n, (uintmax_t)only);
}

/* Shards that follow each other in a file that need not be mapped. */
static int add_records(struct reading *r, int fd, const char *name, struct err *e)
{
    const uint64_t *only = only_of(r, name);
    struct record record = { 0 };
    uint64_t n = 0;
    int more;
    for (; (more = record_read(&record, fd, e)) > 0; n++) {
        bool wanted = only == NULL || *only == n;
        if (wanted && add_record(r, &record, name, e) < 0)
            return -1;
        if (wanted && only != NULL)
            return 0;
        if (!wanted)
            record_free(&record);
    }
    if (more == 0 && only != NULL)
        return no_such_shard(name, *only, n, e);
    return more < 0 ? err_ctx(e, "%s", name) : 0;
}

/* A file that holds one shard is mapped; a stream of shards that was kept in a file is read. */
static int add_file(struct reading *r, struct source *s, struct err *e)
{
    struct record record = { 0 };
    if (record_map(&record, s->fd, e) == 0) {
        const uint64_t *only = only_of(r, s->name);
        if (only == NULL || *only == 0)
            return add_record(r, &record, s->name, e);
        record_free(&record);
        return no_such_shard(s->name, *only, 1, e);
    }
    err_ctx(e, "%s", s->name);
    if (e->kind != ERR_DATA || lseek(s->fd, 0, SEEK_SET) < 0)
        return -1;
    struct err later = { 0 };
    size_t before = r->rows;
    int status = add_records(r, s->fd, s->name, &later);
    if (status < 0 && (r->rows > before || only_of(r, s->name) != NULL))
        *e = later;
    if (status == 0)
        *e = (struct err){ 0 };
    return status;
}

static int member_read(void *self, unsigned char *to, size_t room, size_t *got, struct err *e)
{
    return source_read(self, to, room, got, e);
}

/* Shards out of a pipe, a compressed file or an archive, by way of a file. */
static int add_spooled(struct reading *r, struct source *s, struct err *e)
{
    int fd = spool_open(&(struct flow){ member_read, s }, e);
    if (fd < 0)
        return e->kind == ERR_SYSTEM ? err_ctx(e, "%s", s->name) : -1;
    int status = add_records(r, fd, s->name, e);
    close(fd);
    return status;
}

static int add_raw(struct reading *r, struct source *s, const struct format *f, struct err *e)
{
    struct builder *b = builder_for(r, s->name, e);
    if (b != NULL && !f->table && encoding_forget(b->encoding, e) < 0)
        return err_ctx(e, "%s", s->name);
    return b == NULL ? -1 : add_rows(r, f, f->open(s, b, r->in, e), s->name, e);
}

/* An option about columns that was given, or NULL. */
static const char *column_option(const struct input *in)
{
    return in->weight_column ? "weight-column" : in->drop_columns ? "drop-columns" : in->categories ? "categories" : in->hash_bits ? "hash-bits" : NULL;
}

/* Options that would go unused. */
static int check_options(const struct reading *r, const struct source *s, const struct format *f,
                         struct err *e)
{
    const char *columns = column_option(r->in);
    if (columns != NULL && !f->table)
        return err_set(e, ERR_USAGE, "%s: --%s goes with CSV and TSV, this is %s", s->name, columns, f->plug.name);
    if (r->in->labels == NULL || f->table || f->open == labelled_open || f == &format_npz || f == &format_safetensors)
        return 0;
    return err_set(e, ERR_USAGE, "%s: --labels goes with IDX, npy, npz, safetensors, CSV and TSV, this is %s", s->name,
                   f->plug.name);
}

static int add_member(struct reading *r, struct source *s, struct err *e)
{
    const struct format *f = format_choose(r->in, s, e);
    if (f == NULL || check_options(r, s, f, e) < 0)
        return -1;
    return f == &format_safetensors ? add_spooled(r, s, e) : add_raw(r, s, f, e);
}

static int add_source(struct reading *r, struct source *s, struct err *e)
{
    const struct format *f = NULL;
    struct err ignored = { 0 };
    if (s->plain)
        f = format_choose(r->in, s, &ignored);
    if (f == &format_safetensors)
        return check_options(r, s, f, e) < 0 ? -1 : add_file(r, s, e);
    int more;
    while ((more = source_next(s, e)) > 0)
        if (s->head_n > 0 && add_member(r, s, e) < 0)
            return -1;
    return more;
}

static int add_operand(struct reading *r, const char *path, struct err *e)
{
    struct source s = { 0 };
    size_t before = rows_so_far(r);
    if (source_open(&s, path, r->log, e) < 0)
        return -1;
    source_limit(&s, r->in->max_ratio);
    int status = add_source(r, &s, e);
    if (status == 0 && rows_so_far(r) == before)
        status = err_set(e, ERR_DATA, "%s: no rows", s.path);
    source_close(&s);
    return status;
}

static int check_stdin(char *const *paths, size_t n, const struct input *in, struct err *e)
{
    size_t times = in->labels && strcmp(in->labels, "-") == 0;
    for (size_t i = 0; i < n; i++)
        times += strcmp(paths[i], "-") == 0;
    return times > 1 ? err_set(e, ERR_USAGE, "'-': standard input can be read only once") : 0;
}

static int begin(struct reading *r, const char *name, struct err *e)
{
    r->d->store = calloc(1, sizeof(struct store));
    if (r->d->store == NULL)
        return err_memory(e);
    if (encoding_open(&store_of(r)->encoding, r->in, e) < 0)
        return -1;
    r->d->name = mem_text(name, e);
    return r->d->name == NULL ? -1 : 0;
}

int dataset_read(struct dataset *d, char *const *paths, size_t n, const struct input *in,
                 size_t limit, const struct log *log, struct err *e)
{
    struct reading r = { .d = d, .in = in, .limit = limit, .log = log };
    const char *first = n == 0 || strcmp(paths[0], "-") == 0 ? SOURCE_STDIN : paths[0];
    int status = check_stdin(paths, n, in, e);
    if (status == 0)
        twice_note(paths, n, log);
    if (status == 0)
        status = begin(&r, first, e);
    for (size_t i = 0; i < n && status == 0; i++)
        status = add_operand(&r, paths[i], e);
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

size_t dataset_class(const struct dataset *d, uint64_t row)
{
    double label = d->labels[row];
    return d->classes.named ? (size_t)label : (size_t)classes_find_value(&d->classes, label);
}
