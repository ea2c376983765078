/* From the mean gradient to the next parameters: steps, step sizes, start parameters. */
#include "learn/optimizer.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "lib/tap.h"

enum { N_MAX = 64 };

/* A layout of one penalised part and one that is not. */
static void two_parts(struct layout *l, size_t weights, size_t biases)
{
    *l = (struct layout){ .n = 2, .size = weights + biases };
    l->parts[0] = (struct part){ .name = "weight", .size = weights, .penalised = true };
    l->parts[1] = (struct part){ .name = "bias", .offset = weights, .size = biases };
}

struct step_test {
    struct layout layout;
    float w[N_MAX], was[N_MAX], sum[N_MAX], next[N_MAX];
};

static struct step_input draw(struct step_test *t, size_t weights, size_t biases, struct rng *r)
{
    two_parts(&t->layout, weights, biases);
    for (size_t i = 0; i < t->layout.size; i++) {
        t->was[i] = t->w[i] = (float)rng_normal(r);
        t->sum[i] = (float)(10 * rng_normal(r));
    }
    return (struct step_input){ &t->layout, t->w, t->sum, t->next, .count = 3, .rate = 0.1, .l2 = 0.5 };
}

/* next = w - rate (sum / count + l2 w), the penalty for weights alone, rounded once. */
static bool as_reference(const struct step_test *t, const struct step_input *in)
{
    const struct part *bias = &t->layout.parts[1];
    for (size_t i = 0; i < t->layout.size; i++) {
        double l2 = i < bias->offset ? in->l2 : 0, w = t->was[i];
        double want = w - in->rate * (t->sum[i] / in->count + l2 * w);
        if (!(fabs(t->next[i] - want) <= FLT_EPSILON * fabs(want) + 1e-15))
            return false;
    }
    return memcmp(t->w, t->was, t->layout.size * sizeof *t->w) == 0;
}

static void test_sgd(void)
{
    static const float bad[] = { INFINITY, -INFINITY, NAN, FLT_MAX };
    struct err e = { 0 };
    struct spec spec = { 0 };
    struct step_test t;
    struct rng r;
    rng_open(&r, 1, RNG_START, 0, 0);
    spec_parse(&spec, &optimizer_table, "sgd", &e);
    const struct optimizer_ops *sgd = (const struct optimizer_ops *)spec.plug;
    bool same = true, finite = true, noticed = true;
    void *state = sgd->open(spec.conf, N_MAX, &e);
    for (size_t n = 1; n < 30; n++) {
        struct step_input in = draw(&t, n, n % 11, &r);
        finite &= sgd->apply(state, &in);
        same &= as_reference(&t, &in);
        in.rate = 10;
        for (size_t i = 0; i < t.layout.size; i++) {
            float kept = t.sum[i];
            t.sum[i] = bad[i % 4];
            noticed &= !sgd->apply(state, &in) && memcmp(t.w, t.was, sizeof(float) * n) == 0;
            t.sum[i] = kept;
        }
    }
    ok(state != NULL && same, "a step of sgd is the reference's, the penalty for weights alone");
    ok(finite, "a finite step is said to be finite");
    ok(noticed, "a parameter that is not finite is noticed wherever it stands, and w is kept");
    sgd->close(state);
    spec_free(&spec);
}

static double base_of(const char *text, uint64_t iteration)
{
    struct err e = { 0 };
    struct spec spec = { 0 };
    if (step_parse(&spec, text, &e) < 0)
        return NAN;
    double rate = ((const struct step_ops *)spec.plug)->base(spec.conf, iteration);
    spec_free(&spec);
    return rate;
}

static void test_steps(void)
{
    static const char *const refused[] = { "", "0", "-1", "0.1,2", "const", "const:x", "nan", "fast" };
    ok(base_of("0.1", 0) == 0.1 && base_of(".5", 9) == 0.5, "a bare number is a constant step");
    ok(base_of("const:0.1", 7) == 0.1 && base_of("const:rate=2", 1) == 2, "const takes its rate");
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        ok(isnan(base_of(refused[i], 0)), "step '%s' is refused", refused[i]);
}

static bool start(const char *text, uint64_t seed, const struct layout *l, float *w)
{
    struct err e = { 0 };
    struct spec spec = { 0 };
    memset(w, 0x7f, sizeof(float[N_MAX]));
    bool done = spec_parse(&spec, &init_table, text, &e) == 0 && init_fill(&spec, l, seed, w, &e) == 0;
    spec_free(&spec);
    return done;
}

static void test_init(void)
{
    struct layout l;
    struct err e = { 0 };
    struct spec none = { 0 };
    float w[N_MAX], same[N_MAX], other[N_MAX];
    double square = 0, bias = 0;
    two_parts(&l, 60, 4);
    bool zero = start("zero", 1, &l, w) && init_fill(&none, &l, 1, same, &e) == 0;
    for (size_t i = 0; i < l.size; i++)
        zero &= w[i] == 0 && same[i] == 0;
    ok(zero, "parameters start at zero, also when nothing is said");
    bool drawn = start("normal:0.5", 1, &l, w) && start("normal:sd=0.5", 1, &l, same)
                 && start("normal:0.5", 2, &l, other);
    for (size_t i = 0; i < l.size; i++)
        *(i < 60 ? &square : &bias) += (double)w[i] * w[i];
    ok(drawn && memcmp(w, same, sizeof w) == 0 && memcmp(w, other, sizeof w) != 0,
       "normal start parameters are a function of the seed");
    ok(sqrt(square / 60) > 0.35 && sqrt(square / 60) < 0.65 && bias == 0,
       "weights start with the deviation asked for, biases at zero");
    ok(!start("normal:-1", 1, &l, w), "a negative deviation is refused");
}

int main(void)
{
    test_sgd();
    test_steps();
    test_init();
    return tap_done();
}
