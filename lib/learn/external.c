/* Models of which only a program of the user's knows what they are: tensors with names and shapes, and the
 * values that they start from. Nothing here computes with them. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "learn/engine.h"

struct conf {
    const char *path;
    struct layout layout; /* empty before load; its start is `start` */
    float *start;         /* (layout.size) */
};

static int load(void *conf, struct err *e)
{
    struct conf *c = conf;
    struct record record = { 0 };
    if (c->start != NULL)
        return 0;
    int fd = open(c->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(e, "%s", c->path);
    int status = record_map(&record, fd, e);
    if (status == 0)
        status = layout_of_record(&c->layout, &record, e);
    if (status == 0 && (c->start = layout_values(&c->layout, &record, e)) == NULL)
        status = -1;
    c->layout.start = c->start;
    record_free(&record);
    close(fd);
    return status < 0 ? err_ctx(e, "%s", c->path) : 0;
}

static int layout(const void *conf, const struct dims *d, struct layout *l, struct err *e)
{
    const struct conf *c = conf;
    (void)d;
    if (c->start == NULL)
        return err_set(e, ERR_DATA, "what tensors it has is known to those alone who have its file");
    *l = c->layout;
    return 0;
}

static void release(void *conf)
{
    free(((struct conf *)conf)->start);
}

static const struct param params[] = {
    { "path", set_path, offsetof(struct conf, path), NULL, "safetensors file of the start parameters" },
    { 0 },
};

extern const struct model_ops model_external;
const struct model_ops model_external = {
    .plug = { .name = "external",
              .help = "any parameters; a program computes their gradients (dsgd-worker --external)",
              .params = params,
              .conf = sizeof(struct conf),
              .release = release },
    .target = TARGET_ANY,
    .load = load,
    .layout = layout,
};

extern const struct gradient_ops gradient_external;
const struct gradient_ops gradient_external = { .name = "external" };
