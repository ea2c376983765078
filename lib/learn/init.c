/* The table of start parameters. */
#include "learn/init.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/rng.h"

#define INIT(name) extern const struct init_ops init_##name;
#include "learn/init.def"
#undef INIT

static const struct plug *const rows[] = {
#define INIT(name) &init_##name.plug,
#include "learn/init.def"
#undef INIT
    NULL,
};
const struct table init_table = { .noun = "init", .rows = rows };

/* Every part draws from a place of its own, so that one more part leaves the others as they were. */
void init_draw(const struct layout *l, size_t i, double deviation, uint64_t seed, float *w)
{
    const struct part *p = &l->parts[i];
    struct rng r;
    rng_open(&r, seed, RNG_START, 0, i);
    for (size_t k = 0; deviation > 0 && k < p->size; k++)
        w[p->offset + k] = (float)(deviation * rng_normal(&r));
}

static const struct init_ops *ops_of(const struct spec *init)
{
    return init->plug == NULL ? &init_model : (const struct init_ops *)init->plug;
}

int init_fill(const struct spec *init, const struct layout *l, uint64_t seed, float *w, struct err *e)
{
    memset(w, 0, l->size * sizeof *w);
    return ops_of(init)->fill(init->conf, l, seed, w, e);
}

bool init_crc(const struct spec *init, uint32_t *crc)
{
    if (ops_of(init)->crc == NULL)
        return false;
    *crc = ops_of(init)->crc(init->conf);
    return true;
}

static bool is_row(const char *text)
{
    size_t n = strcspn(text, ":");
    for (const struct plug *const *row = rows; *row; row++)
        if (strlen((*row)->name) == n && strncmp((*row)->name, text, n) == 0)
            return true;
    return false;
}

int init_parse(void *target, const char *text, struct err *e)
{
    if (is_row(text) || access(text, F_OK) < 0)
        return spec_parse(target, &init_table, text, e);
    char *full = mem_print(e, "file:%s", text);
    if (full == NULL)
        return -1;
    int rc = spec_parse(target, &init_table, full, e);
    free(full);
    return rc;
}
