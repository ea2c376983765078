/* Optimizers with a memory, steps that fall or look at staleness, and what a gradient goes through first. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "run/correct.h"
#include "lib/tap.h"

enum { STEPS = 25, HANDED_OVER = 15 };
static const double L2 = 0.5, RATE = 0.1;

/* The rules in double for one parameter; memory in m[0], m[1]. */
static double momentum(double *m, double g, int t)
{
    (void)t;
    m[0] = 0.8 * m[0] + g;
    return m[0];
}

static double nesterov(double *m, double g, int t)
{
    return g + 0.8 * momentum(m, g, t);
}

static double adagrad(double *m, double g, int t)
{
    (void)t;
    m[0] += g * g;
    return g / (sqrt(m[0]) + 1e-8);
}

static double adam(double *m, double g, int t)
{
    m[0] = 0.9 * m[0] + 0.1 * g;
    m[1] = 0.999 * m[1] + 0.001 * g * g;
    return m[0] / (1 - pow(0.9, t)) / (sqrt(m[1] / (1 - pow(0.999, t))) + 1e-8);
}

/* What the state remembers, in one that is new. */
static void *hand_over(const struct optimizer_ops *o, const void *conf, void *state, size_t n)
{
    struct err e = { 0 };
    struct memory from[MEMORIES], to[MEMORIES];
    void *fresh = o->open(conf, n, &e);
    size_t k = o->memory(state, from);
    o->memory(fresh, to);
    while (k-- > 0)
        memcpy(to[k].v, from[k].v, n * sizeof(float));
    o->close(state);
    return fresh;
}

/* A penalised weight and a bias, gradients of their own, a step that fails in the middle, a state that is replaced. */
static void optimizer(const char *text, double (*rule)(double *, double, int))
{
    struct err e = { 0 };
    struct spec spec = { 0 };
    struct rng r;
    struct layout l = { .n = 2, .size = 2 };
    l.parts[0] = (struct part){ .name = "weight", .size = 1, .penalised = true };
    l.parts[1] = (struct part){ .name = "bias", .offset = 1, .size = 1 };
    float w[2] = { 1, -2 }, next[2], sum[2], bad[2] = { 1, INFINITY };
    double want[2] = { 1, -2 }, memory[2][2] = { { 0 } };
    rng_open(&r, 5, RNG_START, 0, 0);
    spec_parse(&spec, &optimizer_table, text, &e);
    const struct optimizer_ops *o = (const struct optimizer_ops *)spec.plug;
    void *state = o->open(spec.conf, 2, &e);
    bool same = true, refused = false;
    struct step_input in = { &l, w, sum, next, .count = 4, .rate = RATE, .l2 = L2 };
    for (int t = 1; t <= STEPS; t++) {
        for (int i = 0; i < 2; i++) {
            sum[i] = (float)(4 * rng_normal(&r));
            want[i] -= RATE * rule(memory[i], sum[i] / 4.0 + (i == 0 ? L2 * w[0] : 0), t);
        }
        in.iteration = (uint64_t)t - 1;
        if (t == HANDED_OVER)
            state = hand_over(o, spec.conf, state, 2);
        if (t == 10) {
            in.sum = bad;
            refused = !o->apply(state, &in);
            in.sum = sum;
        }
        same &= o->apply(state, &in) && fabs(next[0] - want[0]) < 1e-5 &&
                fabs(next[1] - want[1]) < 1e-5;
        memcpy(w, next, sizeof w);
        want[0] = w[0], want[1] = w[1];
    }
    ok(same, "%s steps as its formula in double, the penalty for weights alone", text);
    ok(refused && same, "a step of %s that is not finite is refused and leaves no memory", text);
    o->close(state);
    spec_free(&spec);
}

static bool near(double x, double y)
{
    return fabs(x - y) <= 1e-12 * fabs(y);
}

static double base(const char *text, uint64_t iteration)
{
    struct err e = { 0 };
    struct spec spec = { 0 };
    double rate = NAN;
    if (step_parse(&spec, text, &e) == 0)
        rate = ((const struct step_ops *)spec.plug)->base(spec.conf, iteration);
    spec_free(&spec);
    return rate;
}

static double weight(const char *text, uint64_t staleness, double distance)
{
    struct err e = { 0 };
    struct spec spec = { 0 };
    struct stale s = { staleness, 8, distance };
    double w = NAN;
    if (step_parse(&spec, text, &e) == 0)
        w = ((const struct step_ops *)spec.plug)->weight(spec.conf, &s);
    spec_free(&spec);
    return w;
}

static void steps(void)
{
    ok(near(base("inverse:0.1,decay=1e-2", 100), 0.05), "inverse falls as 1 / (1 + decay j)");
    ok(near(base("sqrt:0.1", 3), 0.05), "sqrt falls as 1 / root of j + 1");
    ok(near(base("step:0.1,factor=0.5,every=10", 9), 0.1) &&
           near(base("step:0.1,factor=0.5,every=10", 30), 0.0125),
       "step falls by its factor at every so many updates");
    ok(near(base("staleness-norm:C=0.01,max=0.1", 7), 0.1) &&
           weight("staleness-norm:C=0.01,max=0.1", 0, 0) == 1,
       "eq. 13 gives a fresh gradient the largest step");
    ok(near(0.1 * weight("staleness-norm:C=0.01,max=0.1", 9, 4), 0.01 / 4),
       "eq. 13 divides C by the squared distance");
    ok(near(weight("staleness-norm:C=0.01,max=0.1", 9, 0.1), 1) &&
           weight("staleness-norm:C=0.01,max=0.1", 9, 0.05) == 1,
       "eq. 13 takes the smaller of the two");
    ok(weight("staleness-norm:C=0.01,max=0.1", 9, NAN) == 0,
       "a distance that is no number weighs nothing");
    ok(near(weight("staleness-inverse:0.1", 3, 0), 0.25), "staleness-inverse divides by 1 + s");
    ok(weight("delay-adaptive:0.1", 8, 0) == 1 && near(weight("delay-adaptive:0.1", 16, 0), 0.5),
       "delay-adaptive divides by what exceeds P");
}

/* Clip, then compensate, then weigh: each order gives other numbers. */
static void order(void)
{
    struct err e = { 0 };
    struct spec step = { 0 }, method = { 0 };
    step_parse(&step, "staleness-inverse:0.1", &e);
    spec_parse(&method, &correct_table, "dc:lambda=0.5", &e);
    struct correct_conf conf = { .clip = 1, .method = &method, .step = &step, .workers = 4 };
    struct correct *c = correct_open(&conf, 2, &e);
    const float g[2] = { 3, 4 }, now[2] = { 1, 1 }, read[2] = { 0, 2 };
    const struct entries whole = { NULL, g, 2 };
    const float *x = correct_gradient(c, whole, now, read, 1).value;
    /* clipped (0.6, 0.8); compensated (0.6 + 0.18, 0.8 - 0.32); halved */
    ok(fabs(x[0] - 0.39) < 1e-6 && fabs(x[1] - 0.24) < 1e-6,
       "a gradient is clipped, compensated and weighed in this order");
    ok(g[0] == 3 && correct_needs_read(c), "the gradient itself stays as it came");
    correct_close(c);
    step_parse(&step, "0.1", &e);
    struct correct_conf none = { .step = &step, .workers = 4 };
    c = correct_open(&none, 2, &e);
    ok(correct_gradient(c, whole, now, NULL, 7).value == g && !correct_needs_read(c),
       "without a rule nothing is copied");
    correct_close(c);
    spec_free(&step);
    spec_free(&method);
}

int main(void)
{
    optimizer("momentum:0.8", momentum);
    optimizer("nesterov:0.8", nesterov);
    optimizer("adagrad", adagrad);
    optimizer("adam", adam);
    steps();
    order();
    return tap_done();
}
