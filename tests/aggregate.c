/* The aggregate: which policies are the same one, bit for bit, and what an update divides by. */
#include "lib/virtual.h"

#include "lib/tap.h"

enum { SIZE = 37, UPDATES = 200 };

/* Rough numbers whose float sums depend on the order. */
static void gradient(const struct virtual *v, const float *w, uint64_t worker, uint64_t seq, float *g)
{
    struct rng r;
    rng_open(&r, 11, RNG_MINIBATCH, worker, seq);
    for (size_t i = 0; i < v->size; i++)
        g[i] = w[i] * (float)(0.1 + rng_uniform(&r)) + (float)(rng_uniform(&r) - 0.5) / 3;
}

static void final(const char *policy, uint64_t workers, float *w)
{
    struct err e = { 0 };
    struct virtual v = { .policy = policy, .delay = "exp:mean=1", .workers = workers, .seed = 3,
                         .updates = UPDATES, .size = SIZE, .l2 = 0.01, .gradient = gradient };
    struct layout layout;
    float start[SIZE];
    for (size_t i = 0; i < SIZE; i++)
        start[i] = (float)i / 7;
    memset(w, 0, SIZE * sizeof *w);
    if (virtual_run(&v, &layout, start, &e) < 0)
        printf("# %s: %s\n", policy, e.text);
    else
        memcpy(w, aggregate_w(v.aggregate), SIZE * sizeof *w);
    virtual_free(&v);
}

static void same(const char *one, const char *other, uint64_t workers, bool expected)
{
    float x[SIZE], y[SIZE];
    final(one, workers, x);
    final(other, workers, y);
    ok((memcmp(x, y, sizeof x) == 0) == expected && x[1] != 0, "%s with %llu workers ends in %s bits as %s",
       one, (unsigned long long)workers, expected ? "the same" : "other", other);
}

/* Minibatch seq of worker r has the gradient r + 1 everywhere: the step tells who was divided by what. */
static void by_rank(const struct virtual *v, const float *w, uint64_t worker, uint64_t seq, float *g)
{
    (void)seq;
    for (size_t i = 0; i < v->size; i++)
        g[i] = (float)(worker + 1) - 0.01f * w[i]; /* takes the penalty back */
}

static void divisor(const char *policy, uint64_t workers, double mean)
{
    struct err e = { 0 };
    struct virtual v = { .policy = policy, .delay = "const:1", .workers = workers, .updates = 1, .size = 4, .l2 = 0.01,
                         .gradient = by_rank };
    struct layout layout;
    float start[4] = { 0 };
    bool ran = virtual_run(&v, &layout, start, &e) == 0;
    ok(ran && fabs(aggregate_w(v.aggregate)[2] + 0.1 * mean) < 1e-7,
       "an update of %s divides by the number combined", policy);
    virtual_free(&v);
}

/* Arrival order must not matter where gradients are held. */
static void order(void)
{
    float x[SIZE], y[SIZE];
    struct err e = { 0 };
    float *out[2] = { x, y };
    const char *delay[2] = { "exp:mean=1", "uniform:min=1,max=3" };
    for (int i = 0; i < 2; i++) {
        struct virtual v = { .policy = "sync", .delay = delay[i], .workers = 8, .seed = 3,
                             .updates = UPDATES, .size = SIZE, .l2 = 0.01, .gradient = gradient };
        struct layout layout;
        float start[SIZE] = { 1 };
        if (virtual_run(&v, &layout, start, &e) == 0)
            memcpy(out[i], aggregate_w(v.aggregate), sizeof x);
        virtual_free(&v);
    }
    ok(memcmp(x, y, sizeof x) == 0, "sync ends in the same bits however the delays fall");
}

/* The final step of a run that diverges leaves the last finite parameters. */
static void explode(const struct virtual *v, const float *w, uint64_t worker, uint64_t seq, float *g)
{
    (void)worker;
    for (size_t i = 0; i < v->size; i++)
        g[i] = seq == 5 ? 3e38f * 10 : w[i];
}

static void diverges(void)
{
    struct err e = { 0 };
    struct virtual v = { .policy = "sync", .delay = "const:1", .workers = 2, .updates = 20, .size = 4, .l2 = 0.01,
                         .gradient = explode };
    struct layout layout;
    float start[4] = { 1, 1, 1, 1 };
    int r = virtual_run(&v, &layout, start, &e);
    ok(r < 0 && e.kind == ERR_NO && strstr(e.text, "update 6") && strstr(e.text, "step"),
       "a gradient that is not finite ends the run by its update: %s", e.text);
    ok(aggregate_iteration(v.aggregate) == 5 && isfinite(aggregate_w(v.aggregate)[3]),
       "the parameters are those of the last finite update");
    struct account a = policy_account(aggregate_policy(v.aggregate), 0);
    ok(a.started == 6 && a.used == 5 && a.unfinished == 1 && a.staleness_max == 0,
       "the gradients of the update that failed are unfinished, and nothing was granted after it");
    virtual_free(&v);
}

int main(void)
{
    same("k-sync:8", "sync", 8, true);
    same("k-async:8", "sync", 8, true);
    same("k-async:1", "async", 8, true);
    same("k-batch-async:1", "async", 8, true);
    same("k-batch-sync:1", "k-sync:1", 8, true);
    same("k-batch-sync:8", "sync", 8, false);
    same("k-sync:4", "k-async:4", 8, false);
    same("k-async:4", "k-batch-async:4", 8, false);
    same("k-sync:4", "k-batch-sync:4", 8, false);
    divisor("sync", 3, 2);
    divisor("k-sync:2", 3, 1.5);
    divisor("k-batch-sync:2", 3, 1.5);
    divisor("async", 3, 1);
    divisor("k-async:3", 3, 2);
    divisor("k-batch-async:2", 3, 1.5);
    order();
    diverges();
    return tap_done();
}
