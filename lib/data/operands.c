/* Operands read one after the other: shards as they are, everything else row by row. */
#include "data/operands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "data/encoding.h"
#include "data/format.h"
#include "data/labelled.h"
#include "data/prose.h"
#include "data/source.h"
#include "data/spool.h"
#include "data/tensors.h"
#include "data/twice.h"

/* One call of operands_read. */
struct reading {
    const struct intake *to;
    const struct input *in;
    const struct log *log;
    bool raw; /* something was read that is no shard */
};

static size_t rows_so_far(const struct reading *r)
{
    return r->to->rows(r->to->self);
}

/* Options that say of a shard what it says itself. */
static int check_shard(const struct reading *r, const char *name, struct err *e)
{
    const struct spec *format = &r->in->format;
    if (format->plug == &format_safetensors.plug && strchr(format->text, ':') != NULL)
        return err_set(e, ERR_USAGE, "%s: is a shard: %s names tensors of other people's", name, format->text);
    if (r->in->labels != NULL)
        return err_set(e, ERR_USAGE, "%s: a shard has its labels in it: leave out --labels", name);
    return 0;
}

static int add_shard(struct reading *r, struct record *record, const char *name, struct err *e)
{
    struct shard s = { .record = *record };
    int status = check_shard(r, name, e);
    if (status == 0 && (shard_take(&s, e) < 0 || shard_verify(&s, e) < 0 || r->to->meta(r->to->self, s.data, e) < 0))
        status = err_ctx(e, "%s", name);
    if (status == 0)
        return r->to->shard(r->to->self, &s, name, e);
    shard_free(&s);
    return -1;
}

/* All rows of a reader, which is closed; NULL: it could not begin. */
static int add_rows(struct reading *r, const struct format *f, void *reader, const char *name, struct err *e)
{
    int more = 1;
    if (reader == NULL)
        return -1;
    while (more > 0) {
        more = f->next(reader, e);
        if (more >= 0 && r->to->more(r->to->self, e) < 0)
            more = -1;
    }
    if (more == 0) {
        json_t *meta = f->meta(reader);
        if (r->to->meta(r->to->self, meta, e) < 0)
            more = err_ctx(e, "%s", name);
        json_decref(meta);
    }
    f->close(reader);
    return more;
}

static int add_tensors(struct reading *r, struct record *record, const char *name, struct err *e)
{
    struct builder *b = r->to->builder(r->to->self, name, e);
    r->raw = true;
    if (b != NULL && encoding_forget(b->encoding, e) < 0)
        err_ctx(e, "%s", name);
    else if (b != NULL)
        return add_rows(r, &format_safetensors, tensors_open(record, name, b, r->in, e), name, e);
    record_free(record);
    return -1;
}

/* A record that was read: a shard, or somebody else's. */
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
    size_t before = rows_so_far(r);
    int status = add_records(r, s->fd, s->name, &later);
    if (status < 0 && (rows_so_far(r) > before || only_of(r, s->name) != NULL))
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
    struct builder *b = r->to->builder(r->to->self, s->name, e);
    r->raw = true;
    if (b != NULL && !f->table && encoding_forget(b->encoding, e) < 0)
        return err_ctx(e, "%s", s->name);
    return b == NULL ? -1 : add_rows(r, f, f->open(s, b, r->in, e), s->name, e);
}

#define TABLES "CSV and TSV"
#define ARRAYS "IDX, npy, npz, safetensors, " TABLES

/* Options that would go unused. */
static int check_options(const struct reading *r, const struct source *s, const struct format *f,
                         struct err *e)
{
    const struct input *in = r->in;
    const bool array = f->table || f->open == labelled_open || f == &format_npz || f == &format_safetensors;
    const struct {
        const char *name;
        bool given, fits;
        const char *formats;
    } options[] = {
        { "weight-column", in->weight_column != NULL, f->table, TABLES },
        { "drop-columns", in->drop_columns != NULL, f->table, TABLES },
        { "categories", in->categories != NULL, f->table, TABLES },
        { "hash-bits", in->hash_bits > 0, f->table, TABLES },
        { "no-header", in->no_header, f->table, TABLES },
        { "skip-lines", in->skip_lines > 0, f->table, TABLES },
        { "decimal-comma", in->decimal_comma, f->table, TABLES },
        { "label-suffix", in->label_suffix != NULL, f->table, TABLES },
        { "separator", in->separator != NULL, f == &format_csv, "CSV" },
        { "label-column", in->label_column != NULL, array, ARRAYS },
        { "labels", in->labels != NULL, array, ARRAYS },
        { "zero-based", in->zero_based, f == &format_libsvm, "libsvm" },
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given && !options[i].fits)
            return err_set(e, ERR_USAGE, "%s: --%s goes with %s, this is %s", s->name, options[i].name,
                           options[i].formats, f->plug.name);
    return 0;
}

static int add_member(struct reading *r, struct source *s, struct err *e)
{
    const struct format *f = format_choose(r->in, s, e);
    if (f == NULL || check_options(r, s, f, e) < 0)
        return -1;
    return f == &format_safetensors ? add_spooled(r, s, e) : add_raw(r, s, f, e);
}

/* Nobody named the member, and it is for people to read. */
static bool for_people(const struct reading *r, const struct source *s)
{
    if (s->member == NULL || s->chosen || format_told(r->in) || r->in->separator != NULL || !prose(s->head, s->head_n))
        return false;
    log_note(r->log, "%s: text without rows, left out (%s//%s reads it)", s->name, s->path, s->member);
    return true;
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
        if (s->head_n > 0 && !for_people(r, s) && add_member(r, s, e) < 0)
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

char *operands_name(char *const *paths, size_t n, struct err *e)
{
    return mem_text(n == 0 || strcmp(paths[0], "-") == 0 ? SOURCE_STDIN : paths[0], e);
}

/* --label-column may be for the raw files beside shards; all is read. */
static int check_used(const struct reading *r, const char *path, struct err *e)
{
    if (r->in->label_column == NULL || r->raw)
        return 0;
    return err_set(e, ERR_USAGE, "%s: a shard has its labels in it: leave out --label-column",
                   strcmp(path, "-") == 0 ? SOURCE_STDIN : path);
}

int operands_read(const struct intake *to, char *const *paths, size_t n, const struct input *in,
                  const struct log *log, struct err *e)
{
    struct reading r = { .to = to, .in = in, .log = log };
    int status = check_stdin(paths, n, in, e);
    if (status == 0)
        twice_note(paths, n, log);
    for (size_t i = 0; i < n && status == 0; i++)
        status = add_operand(&r, paths[i], e);
    return status == 0 && n > 0 ? check_used(&r, paths[0], e) : status;
}

static int contradiction(const char *key, const json_t *was, const json_t *is, struct err *e)
{
    char *old = json_dumps(was, JSON_COMPACT | JSON_ENCODE_ANY);
    char *now = json_dumps(is, JSON_COMPACT | JSON_ENCODE_ANY);
    err_set(e, ERR_DATA, "its %s is %.200s, that of the files before %.200s", key, now ? now : "?",
            old ? old : "?");
    free(old);
    free(now);
    return -1;
}

/* Rows that are scaled and others that are not are no one data set. */
static int same_state(const json_t *was, const json_t *is, struct err *e)
{
    bool before = json_object_get(was, "scaling") != NULL, now = json_object_get(is, "scaling") != NULL;
    if (before == now)
        return 0;
    return err_set(e, ERR_DATA, "its rows are %sscaled, those of the files before are %sscaled",
                   now ? "" : "not ", before ? "" : "not ");
}

/* What is said of one file alone. */
static bool may_differ(const char *key)
{
    return strcmp(key, "format") == 0 || strcmp(key, "arrays") == 0;
}

int operands_meta(json_t **meta, const json_t *more, struct err *e)
{
    const char *key;
    json_t *value;
    if (*meta != NULL && same_state(*meta, more, e) < 0)
        return -1;
    if (*meta == NULL && (*meta = json_object()) == NULL)
        return err_memory(e);
    json_object_foreach((json_t *)more, key, value)
    {
        json_t *was = json_object_get(*meta, key);
        if (was != NULL && !may_differ(key) && !json_equal(was, value))
            return contradiction(key, was, value, e);
        if (was == NULL && json_object_set(*meta, key, value) < 0)
            return err_memory(e);
    }
    return 0;
}
