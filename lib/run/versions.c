/* The parameters that workers read: one copy a version, shared by all that hold it. */
#include "run/versions.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct copy {
    uint64_t version, holders;
    bool filled; /* w is that version */
    float *w;
};

struct versions {
    size_t size;
    uint64_t workers;
    struct copy **held;  /* (P), or NULL */
    struct copy *newest; /* or NULL */
    struct copy *spare;  /* one that nobody holds, to be used again, or NULL */
};

struct versions *versions_open(size_t size, uint64_t workers, struct err *e)
{
    struct versions *v = mem_new(1, sizeof *v, e);
    if (v == NULL)
        return NULL;
    v->size = size;
    v->workers = workers;
    v->held = mem_new(workers, sizeof(struct copy *), e);
    if (v->held != NULL)
        return v;
    free(v);
    return NULL;
}

static void copy_free(struct copy *c)
{
    if (c == NULL)
        return;
    free(c->w);
    free(c);
}

void versions_drop(struct versions *v, uint64_t worker)
{
    struct copy *c = v->held[worker];
    v->held[worker] = NULL;
    if (c == NULL || --c->holders > 0)
        return;
    if (v->newest == c)
        v->newest = NULL;
    copy_free(v->spare);
    v->spare = c;
}

void versions_close(struct versions *v)
{
    if (v == NULL)
        return;
    for (uint64_t r = 0; r < v->workers; r++)
        versions_drop(v, r);
    copy_free(v->spare);
    free(v->held);
    free(v);
}

static struct copy *copy_new(struct versions *v, struct err *e)
{
    struct copy *c = v->spare;
    v->spare = NULL;
    if (c != NULL)
        return c;
    c = mem_new(1, sizeof *c, e);
    if (c == NULL)
        return NULL;
    c->w = mem_new(v->size, sizeof *c->w, e);
    if (c->w != NULL)
        return c;
    free(c);
    return NULL;
}

/* A copy that is not used becomes w; where only some of it is another, only that is copied. */
static void refresh(const struct versions *v, struct copy *c, uint64_t version, const float *w, struct changes *changes)
{
    size_t n = 0;
    const uint32_t *index = c->filled ? changes_since(changes, c->version, &n) : NULL;
    if (index == NULL)
        memcpy(c->w, w, v->size * sizeof *w);
    for (size_t k = 0; k < n; k++)
        c->w[index[k]] = w[index[k]];
    c->version = version;
    c->filled = true;
}

int versions_hold(struct versions *v, uint64_t worker, uint64_t version, const float *w, struct changes *changes,
                  struct err *e)
{
    if (v->held[worker] != NULL && v->held[worker]->version == version)
        return 0;
    versions_drop(v, worker);
    if (v->newest == NULL || v->newest->version != version) {
        struct copy *c = copy_new(v, e);
        if (c == NULL)
            return -1;
        refresh(v, c, version, w, changes);
        c->holders = 0;
        v->newest = c;
    }
    v->newest->holders++;
    v->held[worker] = v->newest;
    return 0;
}

const float *versions_read(const struct versions *v, uint64_t worker)
{
    return v->held[worker] == NULL ? NULL : v->held[worker]->w;
}
