/* What shards hold, as a table. */
#include "run/split/inspect.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/tsv.h"
#include "data/shard.h"

/* A row of the table. */
struct line {
    const char *file;
    uint64_t rows, features, stored, classes, bytes;
    char crc[16];
};

/* The rows of the table so far. */
struct lines {
    struct line *v;
    size_t n, cap;
};

/* The record that s has becomes a row. */
static int take(struct lines *l, struct shard *s, const char *file, struct err *e)
{
    if (shard_take(s, e) < 0 || shard_verify(s, e) < 0 ||
        mem_grow(&l->v, &l->cap, l->n + 1, sizeof *l->v, e) < 0)
        return -1;
    struct line *to = &l->v[l->n++];
    *to = (struct line){ file, s->rows.n, s->rows.features, shard_stored(&s->rows),
                         s->classes.targets ? UINT64_MAX : s->classes.n, s->record.bytes, "" };
    snprintf(to->crc, sizeof to->crc, "%08x", (unsigned)shard_crc(&s->rows));
    return 0;
}

static int look(struct lines *l, const char *path, int fd, struct err *e)
{
    struct shard s = { 0 };
    int status = record_map(&s.record, fd, e);
    if (status == 0)
        status = take(l, &s, path, e);
    shard_free(&s);
    return status;
}

/* Shards that follow each other on standard input. */
static int look_stream(struct lines *l, struct err *e)
{
    struct shard s = { 0 };
    size_t before = l->n;
    int more = 0;
    if (isatty(STDIN_FILENO))
        return err_set(e, ERR_USAGE, "standard input is a terminal");
    while ((more = record_read(&s.record, STDIN_FILENO, e)) > 0) {
        int status = take(l, &s, "<stdin>", e);
        shard_free(&s);
        if (status < 0)
            return -1;
    }
    return more == 0 && l->n == before ? err_set(e, ERR_DATA, "no shard") : more;
}

static int look_at(struct lines *l, const char *path, struct err *e)
{
    if (strcmp(path, "-") == 0)
        return look_stream(l, e) < 0 ? err_ctx(e, "<stdin>") : 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(e, "%s", path);
    int status = look(l, path, fd, e);
    close(fd);
    return status < 0 ? err_ctx(e, "%s", path) : 0;
}

static void print(const struct lines *l, FILE *out, bool json)
{
    static const char *const columns[] = { "file",    "rows",  "features", "nnz",
                                           "classes", "bytes", "checksum", NULL };
    struct tsv t;
    tsv_open(&t, out, json, "dsgd-shard-info/1", columns);
    for (const struct line *i = l->v; i < l->v + l->n; i++) {
        tsv_text(&t, i->file);
        tsv_whole(&t, i->rows);
        tsv_whole(&t, i->features);
        tsv_whole(&t, i->stored);
        tsv_whole(&t, i->classes);
        tsv_whole(&t, i->bytes);
        tsv_text(&t, i->crc);
        tsv_end(&t);
    }
}

int inspect(char *const *paths, size_t n, FILE *out, bool json, struct err *e)
{
    if (n == 0)
        return err_set(e, ERR_USAGE, "--info needs a shard");
    struct lines l = { 0 };
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++)
        status = look_at(&l, paths[i], e);
    if (status == 0)
        print(&l, out, json);
    free(l.v);
    return status;
}
