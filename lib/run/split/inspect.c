/* What shards hold, as a table. */
#include "run/split/inspect.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/tsv.h"
#include "data/shard.h"

/* A row of the table. */
struct line {
    uint64_t rows, features, stored, classes, bytes;
    char crc[16];
};

static int look(struct line *to, struct shard *s, int fd, struct err *e)
{
    struct stat st;
    if (record_map(&s->record, fd, e) < 0 || shard_take(s, e) < 0 || shard_verify(s, e) < 0)
        return -1;
    if (fstat(fd, &st) < 0)
        return err_sys(e, "cannot look at the file");
    *to = (struct line){ s->rows.n, s->rows.features, shard_stored(&s->rows),
                         s->classes.targets ? UINT64_MAX : s->classes.n, (uint64_t)st.st_size, "" };
    snprintf(to->crc, sizeof to->crc, "%08x", (unsigned)shard_crc(&s->rows));
    return 0;
}

static int look_at(struct line *to, const char *path, struct err *e)
{
    struct shard s = { 0 };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(e, "%s", path);
    int status = look(to, &s, fd, e);
    shard_free(&s);
    close(fd);
    return status < 0 ? err_ctx(e, "%s", path) : 0;
}

static void print(const struct line *lines, char *const *paths, size_t n, FILE *out)
{
    static const char *const columns[] = { "file",    "rows",  "features", "nnz",
                                           "classes", "bytes", "checksum", NULL };
    struct tsv t;
    tsv_open(&t, out, false, columns);
    for (size_t i = 0; i < n; i++) {
        tsv_text(&t, paths[i]);
        tsv_whole(&t, lines[i].rows);
        tsv_whole(&t, lines[i].features);
        tsv_whole(&t, lines[i].stored);
        tsv_whole(&t, lines[i].classes);
        tsv_whole(&t, lines[i].bytes);
        tsv_text(&t, lines[i].crc);
        tsv_end(&t);
    }
}

int inspect(char *const *paths, size_t n, FILE *out, struct err *e)
{
    if (n == 0)
        return err_set(e, ERR_USAGE, "--info needs a shard");
    struct line *lines = mem_new(n, sizeof *lines, e);
    int status = lines == NULL ? -1 : 0;
    for (size_t i = 0; i < n && status == 0; i++)
        status = look_at(&lines[i], paths[i], e);
    if (status == 0)
        print(lines, paths, n, out);
    free(lines);
    return status;
}
