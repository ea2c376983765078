/* Networks: forward through a chain of layers, and back (Rumelhart, Hinton and Williams, 1986). Each keeps
 * what came out of it for the way back. */
#include <stdlib.h>

#include "base/mem.h"
#include "learn/engine.h"
#include "learn/linear.h"
#include "learn/net.h"

/* A layer at work. */
struct unit {
    struct stage stage;
    size_t in, out; /* floats a row */
    struct linear dense;
    float *y; /* (chunk, out): what came out last; of the last unit the caller has it */
};

struct net {
    size_t n;
    struct unit unit[NET_LAYERS];
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

static void forward(struct net *net, const float *w, const struct rows *block, float *s)
{
    struct rows x = *block;
    for (struct unit *u = net->unit, *last = u + net->n - 1; u <= last; u++) {
        float *y = u == last ? s : u->y;
        linear_scores(&u->dense, w + u->stage.offset, &x, y);
        if (u != last)
            relu(y, x.n * u->out);
        x = floats(y, x.n, u->out);
    }
}

/* dy belongs to what came out of the unit, which the first gets from the rows themselves. */
static void backward(struct net *net, const float *w, const float *ds, const struct rows *block,
                     float *sum)
{
    const float *dy = ds;
    for (size_t i = net->n; i-- > 0;) {
        struct unit *u = &net->unit[i], *before = u - 1;
        struct rows x = i == 0 ? *block : floats(before->y, block->n, u->in);
        linear_add(&u->dense, dy, &x, sum + u->stage.offset);
        if (i == 0)
            return;
        float *dx = net->d[i % 2];
        linear_back(&u->dense, w + u->stage.offset, dy, block->n, dx);
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

static void net_close(void *self)
{
    struct net *net = self;
    for (struct unit *u = net->unit; u < net->unit + net->n; u++) {
        linear_close(&u->dense);
        free(u->y);
    }
    free(net->d[0]);
    free(net->d[1]);
    free(net);
}

static int open_unit(struct unit *u, const struct stage *s, size_t chunk, struct err *e)
{
    u->stage = *s;
    u->in = (size_t)volume_size(&s->in);
    u->out = (size_t)volume_size(&s->out);
    u->y = mem_new(chunk * u->out, sizeof *u->y, e);
    return u->y == NULL ? -1 : linear_open(&u->dense, u->out, u->in, s->biases > 0, e);
}

static int open_units(struct net *net, const struct plan *p, size_t chunk, struct err *e)
{
    size_t widest = 0;
    net->n = p->n;
    for (size_t i = 0; i < net->n; i++) {
        struct unit *u = &net->unit[i];
        if (open_unit(u, &p->stage[i], chunk, e) < 0)
            return -1;
        widest = i > 0 && u->in > widest ? u->in : widest;
    }
    net->d[0] = mem_new(chunk * widest, sizeof *net->d[0], e);
    net->d[1] = mem_new(chunk * widest, sizeof *net->d[1], e);
    return net->d[0] == NULL || net->d[1] == NULL ? -1 : 0;
}

static void *mlp_open(const void *conf, const struct dims *d, size_t outputs, size_t *chunk,
                      struct err *e)
{
    (void)outputs;
    struct plan p;
    if (mlp_plan(conf, d, &p, e) < 0)
        return NULL;
    struct net *net = mem_new(1, sizeof *net, e);
    *chunk = chunk_of(&p);
    if (net == NULL || open_units(net, &p, *chunk, e) == 0)
        return net;
    net_close(net);
    return NULL;
}

static void scores(void *self, const float *w, const struct rows *block, float *s)
{
    forward(self, w, block, s);
}

static void add(void *self, const float *w, const float *ds, const struct rows *block, float *sum)
{
    backward(self, w, ds, block, sum);
}

const struct engine_ops engine_mlp = { mlp_open, net_close, scores, add, NULL };
