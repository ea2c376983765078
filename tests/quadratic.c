/* What is left of the error where nothing gets better any more: the aggregate, the policies and the steps of
 * a run on a quadratic with additive noise, against what is exactly so (THEORY 3 and 4). */
#include "theory/error.h"

#include "lib/tap.h"
#include "lib/virtual.h"

enum { SIZE = 10, WORKERS = 8, BURN_IN = 2000, MEASURED = 40000 };
static const double rate = 0.1;
static const double noise = 0.1; /* v: variance of each coordinate of a gradient */

/* F(w) = sum_i a_i w_i^2 / 2, with kappa = 10 and L = 1; a gradient is read as a w + noise. */
struct bowl {
    double a[SIZE];
    uint64_t updates;
    double floor;           /* sum of F after the first BURN_IN updates */
    double moved, gradient; /* sums of ||grad F(w_j) - grad F(w_tau)||^2 and of ||grad F(w_j)||^2 */
    double early[BURN_IN + 1];
};

static double value(const struct bowl *b, const float *w)
{
    double f = 0;
    for (size_t i = 0; i < SIZE; i++)
        f += b->a[i] * w[i] * w[i] / 2;
    return f;
}

static void updated(void *self, const struct aggregate *a)
{
    struct bowl *b = self;
    double f = value(b, aggregate_w(a));
    b->updates = aggregate_iteration(a);
    if (b->updates <= BURN_IN)
        b->early[b->updates] = f;
    else
        b->floor += f;
}

/* Only the variance of the noise counts for a quadratic: it is uniform. */
static void gradient(const struct virtual *v, const float *w, uint64_t worker, uint64_t seq,
                     float *g)
{
    struct bowl *b = v->self;
    const float *now = aggregate_w(v->aggregate);
    struct rng r;
    rng_open(&r, v->seed, RNG_MINIBATCH, worker, seq);
    for (size_t i = 0; i < SIZE; i++) {
        double stale = b->a[i] * (now[i] - w[i]), fresh = b->a[i] * now[i];
        if (b->updates > BURN_IN) {
            b->moved += stale * stale;
            b->gradient += fresh * fresh;
        }
        g[i] = (float)(b->a[i] * w[i] + sqrt(12 * noise) * (rng_uniform(&r) - 0.5));
    }
}

static int run(struct bowl *b, const char *policy, uint64_t workers, const char *step,
               uint64_t updates, struct err *e)
{
    struct virtual v = { .policy = policy, .delay = "exp:mean=1", .rate = step,
                         .workers = workers, .seed = 5, .updates = updates, .size = SIZE,
                         .gradient = gradient, .updated = updated, .self = b };
    struct layout layout;
    float start[SIZE];
    *b = (struct bowl){ .updates = 0 };
    for (size_t i = 0; i < SIZE; i++) {
        b->a[i] = 0.1 + 0.9 * (double)i / (SIZE - 1);
        start[i] = 3;
    }
    b->early[0] = value(b, start);
    int status = virtual_run(&v, &layout, start, e);
    virtual_free(&v);
    return status;
}

/* Where gradients are stale, exactly, for exponential delays: each push is then that of a random worker.
 * The second moments of one coordinate follow a linear rule from push to push. w: the parameter; b: the
 * sum of the gradients that wait; x, y: what two workers read. */
struct moments {
    double ww, wb, bb, wx, bx, xx, xy;
};

static void push(struct moments *m, double a)
{
    m->bb += 2 * a * m->bx + a * a * m->xx + noise;
    m->wb += a * m->wx;
}

/* A random worker of p read what the parameter is now, on which the sum has the moments wb; wx and bx are
 * those of the other workers. */
static void read_again(struct moments *m, double p, double ww, double wb, double wx, double bx)
{
    m->xx += (ww - m->xx) / p;
    m->xy += 2 * (wx - m->xy) / p;
    m->wx = wx + (ww - wx) / p;
    m->bx = bx + (wb - bx) / p;
}

/* K-batch-async (async: K = 1): who has pushed reads at once; the K-th push makes the update. */
static double batch_floor(double a, double p, unsigned k)
{
    struct moments m = { 0 };
    double h = rate / k;
    for (int update = 0; update < 4000; update++)
        for (unsigned i = 1; i <= k; i++) {
            push(&m, a);
            double bx = m.bx + a * m.xy;
            if (i < k) {
                read_again(&m, p, m.ww, m.wb, m.wx, bx);
                continue;
            }
            double wx = m.wx - h * bx;
            m.ww += h * h * m.bb - 2 * h * m.wb;
            read_again(&m, p, m.ww, 0, wx, 0);
            m.wb = m.bb = m.bx = 0;
        }
    return a * m.ww / 2;
}

/* K-async: the K that have pushed are a random subset of the P. c = E[w x] and f = E[x y] in parts of
 * E[w^2]; in the steady state E[x^2] = E[w^2]. */
static double distinct_floor(double a, double p, unsigned k)
{
    double h = rate * a, part = k / p;
    double both = k * (k - 1) / (p * (p - 1)), one = 2 * k * (p - k) / (p * (p - 1));
    double f = (both + one) / (both + one + one * h / part);
    double c = 1 - (1 - part) / part * h * f;
    return a * rate * rate * noise / k / (2 * h * c - h * h * (1 + (k - 1) * f) / k) / 2;
}

/* Nothing is stale. */
static double fresh_floor(double a, double p, unsigned k)
{
    (void)p;
    return error_quadratic_floor(&a, 1, rate, noise / k);
}

static const struct form {
    const char *policy;
    unsigned k;
    bool stale;
    double (*floor)(double a, double p, unsigned k);
} forms[] = {
    { "k-sync:1", 1, false, fresh_floor },        { "k-sync:4", 4, false, fresh_floor },
    { "sync", 8, false, fresh_floor },            { "k-batch-sync:1", 1, false, fresh_floor },
    { "k-batch-sync:4", 4, false, fresh_floor },  { "k-batch-sync:8", 8, false, fresh_floor },
    { "async", 1, true, batch_floor },            { "k-async:4", 4, true, distinct_floor },
    { "k-async:8", 8, true, distinct_floor },     { "k-batch-async:4", 4, true, batch_floor },
    { "k-batch-async:8", 8, true, batch_floor },
};

/* The largest part of the bound that the error is, after any number of updates but none. */
static double nearest(const struct bowl *b, const struct objective *o, const struct updates *u)
{
    double worst = b->floor / MEASURED / error_floor(o, u);
    for (unsigned j = 1; j <= BURN_IN; j++)
        worst = fmax(worst, b->early[j] / error_bound(o, u, j));
    return worst;
}

static void floors(void)
{
    static struct bowl b;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const struct form *f = &forms[i];
        struct err e = { 0 };
        bool ran = run(&b, f->policy, WORKERS, "0.1", BURN_IN + MEASURED, &e) == 0;
        double is = b.floor / MEASURED, exact = 0;
        for (size_t j = 0; j < SIZE; j++)
            exact += f->floor(b.a[j], WORKERS, f->k);
        ok(ran && fabs(is / exact - 1) < 0.05, "%s: the error stays at %.5f, exactly %.5f",
           f->policy, is, exact);
        struct objective o = { .L = 1, .c = 0.1, .sigma2 = SIZE * noise, .gap = b.early[0],
                               .m = 1, .gamma = b.moved / b.gradient };
        struct updates u = { rate, f->k, f->stale };
        double part = nearest(&b, &o, &u);
        ok(rate <= error_ceiling(&o, &u) && part > 0.01 && part <= 1,
           "and the bound of %s, gamma %.3f, is never below it: at most %.3f of it",
           f->stale ? "theorem 3" : "lemma 2", o.gamma, part);
    }
}

/* Where staleness is large a constant step diverges; eq. 13 makes up for it. The errors that THEORY 4 has,
 * from a simulation of its own, are told to about a third. */
static void norm(void)
{
    static const struct {
        double c;
        const char *step;
        double told;
    } steps[] = {
        { 5e-4, "staleness-norm:C=5e-4,max=0.35", 0.08 },
        { 0.01, "staleness-norm:C=0.01,max=0.35", 0.07 },
        { 0.05, "staleness-norm:C=0.05,max=0.35", 0.11 },
        { 0.2, "staleness-norm:C=0.2,max=0.35", 0.25 },
    };
    static struct bowl b;
    struct err e = { 0 };
    bool ran = run(&b, "async", 40, "0.35", BURN_IN, &e) == 0;
    ok(!ran || b.early[BURN_IN] > 1e3, "async with 40 workers and a step of 0.35 diverges: %g",
       b.early[b.updates]);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct objective o = { .L = 1, .c = 0.1, .sigma2 = SIZE * noise, .gap = 1, .m = 1 };
        ran = run(&b, "async", 40, steps[i].step, BURN_IN + MEASURED, &e) == 0;
        double is = b.floor / MEASURED, bound = error_variable_floor(&o, 0.35, steps[i].c);
        ok(ran && fabs(is / steps[i].told - 1) < 0.33 && is < bound,
           "eq. 13 with C %g keeps it at %.3f, theorem 4 below %.2f", steps[i].c, is, bound);
    }
}

int main(void)
{
    floors();
    norm();
    return tap_done();
}
