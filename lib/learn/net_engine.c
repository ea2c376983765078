/* Networks: forward through a chain of layers, and back (Rumelhart, Hinton and Williams, 1986). Each keeps
 * what came out of it for the way back. */
#include <stdlib.h>

#include "base/mem.h"
#include "learn/engine.h"
#include "learn/tiles.h"
#include "learn/unit.h"

/* The layers, where images come in, and where they are laid flat. */
enum { UNITS = NET_LAYERS + 2 };

struct net {
    size_t n;
    struct unit unit[UNITS];
    float *d[2]; /* (chunk, widest): derivatives by what goes from unit to unit, taken in turn */
};

/* Floats a round: a trip count the compiler knows. Room from mem_new ends at a multiple of it. */
enum { LANES = 16 };

static void relu(float *y, size_t n)
{
    for (size_t i = 0; i < n; i += LANES)
        for (size_t k = i; k < i + LANES; k++)
            y[k] = y[k] < 0 ? 0 : y[k]; /* what is no number stays none */
}

/* Derivatives go back only where something was let through. */
static void relu_back(float *restrict dy, const float *restrict y, size_t n)
{
    for (size_t i = 0; i < n; i += LANES)
        for (size_t k = i; k < i + LANES; k++)
            dy[k] = y[k] > 0 ? dy[k] : 0;
}

static struct rows floats(const float *x, size_t n, size_t features)
{
    return (struct rows){ .kind = ROWS_DENSE, .n = n, .features = features, .x = x };
}

static void scores(void *self, const float *w, const struct rows *block, float *s)
{
    struct net *net = self;
    struct rows x = *block;
    for (struct unit *u = net->unit; u < net->unit + net->n; u++) {
        float *y = u->y == NULL ? s : u->y;
        u->ops->forward(u, w + u->stage.offset, &x, y);
        if (u->relu)
            relu(y, x.n * u->out);
        x = floats(y, x.n, u->out);
    }
}

/* dy belongs to what came out of a unit. The first takes the rows themselves. */
static void add(void *self, const float *w, const float *ds, const struct rows *block, float *sum)
{
    struct net *net = self;
    const float *dy = ds;
    for (size_t i = net->n; i-- > 0;) {
        struct unit *u = &net->unit[i], *before = i == 0 ? NULL : u - 1;
        struct rows x = before == NULL ? *block : floats(before->y, block->n, u->in);
        float *dx = net->d[i % 2];
        u->ops->backward(u, w + u->stage.offset, &x, dy, dx, sum + u->stage.offset);
        if (!u->back)
            return;
        if (before->relu)
            relu_back(dx, before->y, block->n * u->in);
        dy = dx;
    }
}

/* A millisecond of work, by additions and multiplications forward and twice back. */
static size_t chunk_of(const struct plan *p)
{
    const double budget = 1e-3, rate = 2e10;
    const size_t least = 16, most = 4096;
    double products = 0;
    for (const struct stage *s = p->stage; s < p->stage + p->n; s++)
        products += (double)s->weights * (double)(s->in.height * s->in.width);
    double rows = budget * rate / (3 * products);
    return rows < (double)least ? least : rows > (double)most ? most : (size_t)rows / least * least;
}

static void close_net(void *self)
{
    struct net *net = self;
    for (struct unit *u = net->unit; u < net->unit + net->n; u++) {
        u->ops->close(u);
        free(u->y);
    }
    free(net->d[0]);
    free(net->d[1]);
    free(net);
}

static const struct unit_ops *const layers[] = {
    [LAYER_CONV] = &unit_conv,
    [LAYER_POOL] = &unit_pool,
    [LAYER_DENSE] = &unit_dense,
};

/* Floats a pixel behind a unit. */
static size_t step_behind(const struct unit *u)
{
    size_t channels = (size_t)u->stage.out.channels;
    if (u->ops == &unit_conv)
        return (channels + TILE_LANES - 1) / TILE_LANES * TILE_LANES;
    return u->ops == &unit_pool ? u->in_step : channels;
}

static void add_unit(struct net *net, const struct unit_ops *ops, const struct stage *s)
{
    struct unit *u = &net->unit[net->n++], *before = net->n == 1 ? NULL : u - 1;
    u->ops = ops;
    u->stage = *s;
    u->in_step = before == NULL ? (size_t)s->in.channels : before->out_step;
    u->out_step = step_behind(u);
    u->in = before == NULL ? (size_t)volume_size(&s->in) : before->out;
    u->out = (size_t)(s->out.height * s->out.width) * u->out_step;
    u->back = before != NULL && (before->back || before->stage.weights > 0);
}

/* The same shape on both sides. */
static void add_turn(struct net *net, const struct unit_ops *ops, const struct volume *v, bool flat)
{
    struct volume row = { volume_size(v), 1, 1 };
    struct stage s = { .in = *v, .out = flat ? row : *v };
    add_unit(net, ops, &s);
}

static void add_units(struct net *net, const struct plan *p)
{
    bool image = p->stage[0].layer.kind != LAYER_DENSE;
    if (image)
        add_turn(net, &unit_pixels, &p->in, false);
    for (const struct stage *s = p->stage; s < p->stage + p->n; s++) {
        if (image && s->layer.kind == LAYER_DENSE) {
            add_turn(net, &unit_flat, &s->in, true);
            image = false;
        }
        add_unit(net, layers[s->layer.kind], s);
        net->unit[net->n - 1].relu = s->weights > 0 && s + 1 < p->stage + p->n;
    }
}

static int open_units(struct net *net, size_t chunk, struct err *e)
{
    size_t widest = 0;
    for (struct unit *u = net->unit, *last = u + net->n - 1; u <= last; u++) {
        widest = u->in > widest ? u->in : widest;
        if (u != last && (u->y = mem_new(chunk * u->out, sizeof *u->y, e)) == NULL)
            return -1;
        if (u->ops->open(u, e) < 0)
            return -1;
    }
    net->d[0] = mem_new(chunk * widest, sizeof *net->d[0], e);
    net->d[1] = mem_new(chunk * widest, sizeof *net->d[1], e);
    return net->d[0] == NULL || net->d[1] == NULL ? -1 : 0;
}

static void *open_net(const struct plan *p, size_t *chunk, struct err *e)
{
    struct net *net = mem_new(1, sizeof *net, e);
    if (net == NULL)
        return NULL;
    *chunk = chunk_of(p);
    add_units(net, p);
    if (open_units(net, *chunk, e) == 0)
        return net;
    close_net(net);
    return NULL;
}

static void *open_mlp(const void *conf, const struct dims *d, size_t outputs, size_t *chunk,
                      struct err *e)
{
    (void)outputs;
    struct plan p;
    return mlp_plan(conf, d, &p, e) < 0 ? NULL : open_net(&p, chunk, e);
}

static void *open_cnn(const void *conf, const struct dims *d, size_t outputs, size_t *chunk,
                      struct err *e)
{
    (void)outputs;
    struct plan p;
    return cnn_plan(conf, d, &p, e) < 0 ? NULL : open_net(&p, chunk, e);
}

const struct engine_ops engine_mlp = { open_mlp, close_net, scores, add, NULL };
const struct engine_ops engine_cnn = { open_cnn, close_net, scores, add, NULL };
