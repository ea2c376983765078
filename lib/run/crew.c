/* The workers of a run in one process: their data, and their gradients when somebody asks for them. */
#include "run/crew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "learn/gradient.h"
#include "run/shards.h"

int crew_add(struct crew *c, char *const *paths, size_t n, const struct input *in, struct err *e)
{
    struct dataset *d = mem_new(1, sizeof *d, e);
    if (d == NULL || dataset_read(d, paths, n, in, 0, c->log, e) < 0) {
        free(d);
        return -1;
    }
    if (mem_grow(&c->set, &c->sets_cap, c->sets + 1, sizeof *c->set, e) < 0) {
        dataset_free(d);
        free(d);
        return -1;
    }
    c->set[c->sets++] = d;
    return c->compute == NULL ? 0 : compute_add(c->compute, d, &c->shape.classes, e);
}

int crew_read(struct crew *c, char *const *paths, size_t n, const struct input *in, struct err *e)
{
    size_t from_stdin = 0;
    for (size_t i = 0; i < n; i++)
        from_stdin += strcmp(paths[i], "-") == 0;
    if (from_stdin > 1)
        return err_set(e, ERR_USAGE, "'-': standard input can be read only once");
    for (size_t i = 0; i < n; i++)
        if (crew_add(c, &paths[i], 1, in, e) < 0)
            return -1;
    return 0;
}

void crew_close(struct crew *c)
{
    for (size_t i = 0; i < c->rooms; i++) {
        free(c->room[i].index);
        free(c->room[i].g);
    }
    free(c->room);
    compute_close(c->compute);
    shape_free(&c->shape);
    free(c->set_of);
    for (size_t i = 0; i < c->sets; i++) {
        dataset_free(c->set[i]);
        free(c->set[i]);
    }
    free(c->set);
    *c = (struct crew){ 0 };
}

int crew_place(struct crew *c, uint64_t workers, struct err *e)
{
    c->workers = workers;
    c->set_of = mem_new((size_t)workers, sizeof *c->set_of, e);
    for (uint64_t r = 0; c->set_of != NULL && r < workers; r++)
        c->set_of[r] = c->sets == 1 ? 0 : (uint32_t)r;
    return c->set_of == NULL ? -1 : 0;
}

/* The shape is that of all rows that some worker has at the start. */
static int unite(struct crew *c, struct err *e)
{
    const struct spec *model = &c->conf->model;
    const struct dataset *first = c->set[c->set_of[0]];
    for (uint64_t r = 0; r < c->workers; r++) {
        const struct dataset *d = c->set[c->set_of[r]];
        if (r > 0 && c->set_of[r] == c->set_of[r - 1])
            continue;
        if (shape_add(&c->shape, model, d->features, &d->classes, e) < 0 ||
            shape_same_reading(d->meta, d->name, first->meta, first->name, e) < 0)
            return -1;
    }
    if (shape_close(&c->shape, model, !c->conf->no_bias, first->meta, c->log, e) < 0)
        return -1;
    return layout_fits(&c->shape.layout, AGGREGATE_COPIES + COMPUTE_COPIES, e);
}

static int open_compute(struct crew *c, struct err *e)
{
    struct welcome w = {
        .workers = c->workers,
        .seed = c->conf->seed,
        .batch = c->conf->batch,
        .model = c->conf->model.text,
        .features = c->shape.dims.features,
        .shape = json_object_get(c->shape.data, "shape"),
        .classes = c->shape.classes,
        .bias = c->shape.dims.bias,
    };
    c->compute = compute_empty(&w, e);
    for (size_t i = 0; c->compute != NULL && i < c->sets; i++)
        if (compute_add(c->compute, c->set[i], &c->shape.classes, e) < 0)
            return -1;
    return c->compute == NULL ? -1 : compute_sparsely(c->compute, e);
}

int crew_start(struct crew *c, struct err *e)
{
    if (unite(c, e) == 0 && open_compute(c, e) == 0)
        return 0;
    e->kind = e->kind == ERR_PEER ? ERR_DATA : e->kind; /* nobody here is a peer */
    return -1;
}

uint64_t crew_rows(const struct crew *c, uint64_t worker)
{
    return c->set[c->set_of[worker]]->rows;
}

const char *crew_name(const struct crew *c, uint64_t worker, char *text, size_t room)
{
    const struct dataset *d = c->set[c->set_of[worker]];
    size_t n = json_array_size(d->shards);
    if (n > 1)
        snprintf(text, room, "%s and %zu more", d->name, n - 1);
    else
        snprintf(text, room, "%s", d->name);
    return text;
}

/* The shards of all workers, each with its rank. */
static json_t *shards(const struct crew *c)
{
    json_t *all = json_array();
    for (uint64_t r = 0; r < c->workers; r++)
        shards_append(all, r, c->set[c->set_of[r]]->shards);
    return all;
}

int crew_describe(const struct crew *c, json_t *meta, struct err *e)
{
    if (json_object_set_new(meta, "kernel", json_string(gradient_kernel())) < 0 ||
        json_object_set_new(meta, "blas", json_string(gradient_blas())) < 0 ||
        json_object_set_new(meta, "shards", shards(c)) < 0)
        return err_memory(e);
    return 0;
}

static struct room *take_room(struct crew *c, struct err *e)
{
    if (c->taken == c->rooms) {
        if (mem_grow(&c->room, &c->rooms_cap, c->rooms + 1, sizeof *c->room, e) < 0)
            return NULL;
        c->room[c->rooms++] = (struct room){ 0 };
    }
    return &c->room[c->taken++];
}

/* A room as long as the parameters, of zeros when it is new. */
static int make_whole(struct room *r, size_t size, struct err *e)
{
    if (r->g != NULL && r->g_cap >= size)
        return 0;
    free(r->g);
    r->g = mem_new(size, sizeof *r->g, e);
    r->g_cap = r->g == NULL ? 0 : size;
    return r->g == NULL ? -1 : 0;
}

/* The gradient as it was computed stays where it was put. */
static int keep(struct room *r, const struct entries *g, struct err *e)
{
    if (mem_grow(&r->g, &r->g_cap, g->n, sizeof *r->g, e) < 0)
        return -1;
    memcpy(r->g, g->value, g->n * sizeof *r->g);
    if (g->index == NULL)
        return 0;
    if (mem_grow(&r->index, &r->index_cap, g->n, sizeof *r->index, e) < 0)
        return -1;
    memcpy(r->index, g->index, g->n * sizeof *r->index);
    return 0;
}

int crew_gradient(struct crew *c, uint64_t worker, const float *w, struct gradient_in *g,
                  struct err *e)
{
    int more;
    struct room *r = take_room(c, e);
    if (r == NULL || compute_as(c->compute, c->set_of[worker], worker, e) < 0)
        return -1;
    const bool lists = compute_lists(c->compute);
    if (!lists && make_whole(r, c->shape.layout.size, e) < 0)
        return -1;
    compute_with(c->compute, w, r->g);
    compute_begin(c->compute, g->seq);
    do
        more = compute_chunk(c->compute, e);
    while (more > 0);
    if (more < 0)
        return -1;
    struct entries got = compute_entries(c->compute, &g->rows, &g->loss);
    if (lists && keep(r, &got, e) < 0)
        return -1;
    g->g = r->g;
    g->index = lists ? r->index : NULL;
    g->n = got.n;
    return 0;
}

void crew_settle(struct crew *c)
{
    c->taken = 0;
}

void crew_reseed(struct crew *c, uint64_t seed)
{
    compute_reseed(c->compute, seed);
}

int crew_loss(struct crew *c, const float *w, uint64_t most, double *loss, struct err *e)
{
    uint64_t all = 0, rows = 0, first = 0;
    double sum = 0;
    for (size_t i = 0; i < c->sets; i++)
        all += c->set[i]->rows;
    uint64_t stride = (all + most - 1) / most;
    for (size_t i = 0; i < c->sets; i++) {
        uint64_t n = c->set[i]->rows;
        if (compute_as(c->compute, i, 0, e) < 0 ||
            compute_losses(c->compute, w, first, stride, &sum, &rows, e) < 0)
            return -1;
        /* the next set goes on where the stride would have gone on */
        first = first >= n ? first - n : (stride - (n - first) % stride) % stride;
    }
    *loss = sum / (double)rows;
    return 0;
}
