/* Start where another run ended: the parameters of a model's file. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "learn/init.h"

struct conf {
    const char *path;
    struct model model;
};

static int read_model(struct model *m, const char *path, struct err *e)
{
    struct record record = { 0 };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(e, "%s", path);
    int status = record_map(&record, fd, e);
    if (status == 0)
        status = model_read(m, &record, e);
    record_free(&record);
    close(fd);
    return status < 0 ? err_ctx(e, "%s", path) : 0;
}

static int check(void *conf, struct err *e)
{
    struct conf *c = conf;
    return read_model(&c->model, c->path, e);
}

static void release(void *conf)
{
    model_free(&((struct conf *)conf)->model);
}

/* What a part is called, "weight (10, 64)"; nothing for none. */
static void print_part(char *to, size_t room, const struct layout *l, size_t i)
{
    int n = 0;
    if (i >= l->n) {
        snprintf(to, room, "none");
        return;
    }
    n = snprintf(to, room, "%s (", l->parts[i].name);
    for (unsigned k = 0; k < l->parts[i].dims && (size_t)n < room; k++)
        n += snprintf(to + n, room - (size_t)n, "%s%zu", k > 0 ? ", " : "", l->parts[i].shape[k]);
    if ((size_t)n < room)
        snprintf(to + n, room - (size_t)n, ")");
}

static int check_fit(const struct conf *c, const struct layout *l, struct err *e)
{
    const struct layout *has = &c->model.layout;
    char mine[TENSOR_NAME + 120], theirs[TENSOR_NAME + 120];
    for (size_t i = 0; i < l->n || i < has->n; i++) {
        print_part(mine, sizeof mine, has, i);
        print_part(theirs, sizeof theirs, l, i);
        if (strcmp(mine, theirs) != 0)
            return err_set(e, ERR_DATA, "%s: start parameters do not fit: tensor %zu is %s, that of this run %s",
                           c->path, i + 1, mine, theirs);
    }
    return 0;
}

static int fill(const void *conf, const struct layout *l, uint64_t seed, float *w, struct err *e)
{
    const struct conf *c = conf;
    (void)seed;
    if (check_fit(c, l, e) < 0)
        return -1;
    memcpy(w, c->model.w, l->size * sizeof *w);
    return 0;
}

static uint32_t crc(const void *conf)
{
    const struct model *m = &((const struct conf *)conf)->model;
    return (uint32_t)crc32_z(crc32(0, NULL, 0), (const unsigned char *)m->w, m->layout.size * sizeof *m->w);
}

static const struct param params[] = {
    { "path", set_path, offsetof(struct conf, path), NULL, "a model of the same shape; the path alone will do" },
    { 0 },
};

extern const struct init_ops init_file;
const struct init_ops init_file = {
    .plug = { .name = "file",
              .help = "parameters of a model",
              .params = params,
              .conf = sizeof(struct conf),
              .check = check,
              .release = release },
    .fill = fill,
    .crc = crc,
};
