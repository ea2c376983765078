/* Gradients as a list of entries: the bits are those of gradients of all parameters; and what is known of changes. */
#include "base/marks.h"
#include "lib/virtual.h"
#include "run/changes.h"

#include "lib/tap.h"

enum { SIZE = 5000, SOME = 40, UPDATES = 120, WORKERS = 5 };

/* A few parameters, other ones each time; rough numbers, also 0 and what cancels. */
static void gradient(const struct virtual *v, const float *w, uint64_t worker, uint64_t seq, float *g)
{
    struct rng r;
    rng_open(&r, 11, RNG_MINIBATCH, worker, seq);
    memset(g, 0, v->size * sizeof *g);
    for (int k = 0; k < SOME; k++) {
        size_t i = (size_t)(rng_uniform(&r) * rng_uniform(&r) * (double)v->size);
        g[i] = w[i] * (float)(0.1 + rng_uniform(&r)) + (float)(rng_uniform(&r) - 0.5) / 3;
    }
}

static bool always(uint64_t worker, uint64_t seq)
{
    (void)worker, (void)seq;
    return true;
}

static bool sometimes(uint64_t worker, uint64_t seq)
{
    return (worker + seq) % 3 != 0;
}

struct run {
    const char *policy, *optimizer, *step, *correct;
    double l2, clip;
};

static bool final(const struct run *r, bool (*listed)(uint64_t, uint64_t), float *w)
{
    struct err e = { 0 };
    struct virtual v = { .policy = r->policy, .delay = "exp:mean=1", .rate = r->step, .optimizer_text = r->optimizer,
                         .correct_text = r->correct, .l2 = r->l2, .clip = r->clip, .workers = WORKERS, .seed = 3,
                         .updates = UPDATES, .size = SIZE, .gradient = gradient, .listed = listed };
    struct layout layout;
    float start[SIZE];
    for (size_t i = 0; i < SIZE; i++)
        start[i] = (float)i / 7;
    bool ran = virtual_run(&v, &layout, start, &e) == 0;
    if (!ran)
        printf("# %s: %s\n", r->policy, e.text);
    else
        memcpy(w, aggregate_w(v.aggregate), SIZE * sizeof *w);
    virtual_free(&v);
    return ran;
}

static void same_bits(void)
{
    static const struct run runs[] = {
        { .policy = "sync" },
        { .policy = "k-sync:3" },
        { .policy = "k-batch-sync:3" },
        { .policy = "async" },
        { .policy = "k-async:2" },
        { .policy = "k-batch-async:2" },
        { .policy = "async", .l2 = 0.01 },
        { .policy = "k-async:2", .optimizer = "momentum" },
        { .policy = "k-batch-async:3", .optimizer = "adam" },
        { .policy = "async", .clip = 1 },
        { .policy = "k-async:2", .step = "staleness-inverse:0.1" },
        { .policy = "async", .step = "staleness-norm:C=0.001,max=0.1" },
        { .policy = "k-batch-async:2", .correct = "dc:lambda=0.3" },
    };
    static float all[SIZE], some[SIZE], mixed[SIZE];
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        const struct run *r = &runs[i];
        bool ran = final(r, NULL, all) && final(r, always, some) && final(r, sometimes, mixed);
        ok(ran && memcmp(all, some, sizeof all) == 0 && memcmp(all, mixed, sizeof all) == 0,
           "%s%s%s%s%s%s: entries, and entries among others, end in the bits of all", r->policy,
           r->optimizer ? " " : "", r->optimizer ? r->optimizer : "", r->step ? " " : "", r->step ? r->step : "",
           r->correct ? " dc" : r->clip > 0 ? " clip" : r->l2 > 0 ? " l2" : "");
    }
}

/* An entry that is not finite, or that makes a parameter so, ends the run and changes nothing. */
static void explode(const struct virtual *v, const float *w, uint64_t worker, uint64_t seq, float *g)
{
    (void)w, (void)worker;
    memset(g, 0, v->size * sizeof *g);
    g[7] = 1;
    g[v->size - 1] = seq == 5 ? 3e38f : 1;
}

static void diverges(void)
{
    struct err e = { 0 };
    struct virtual v = { .policy = "async", .delay = "const:1", .rate = "10", .workers = 1, .updates = 20, .size = SIZE,
                         .gradient = explode, .listed = always };
    struct layout layout;
    float start[SIZE] = { 0 };
    int r = virtual_run(&v, &layout, start, &e);
    ok(r < 0 && e.kind == ERR_NO && strstr(e.text, "update 6: a parameter"), "a parameter that is not finite: %s", e.text);
    ok(aggregate_w(v.aggregate)[7] == -50 && aggregate_w(v.aggregate)[SIZE - 1] == -50,
       "the parameters are those of the last finite update, all of them");
    virtual_free(&v);
}

static void marks(void)
{
    static uint32_t got[SIZE];
    static const size_t set[] = { 4096, 0, 63, 64, 4095, SIZE - 1, 64 };
    static const uint32_t want[] = { 0, 63, 64, 4095, 4096, SIZE - 1 };
    struct marks m = { 0 };
    struct err e = { 0 };
    bool fresh = true;
    if (marks_open(&m, SIZE, &e) < 0)
        return;
    for (size_t i = 0; i < 7; i++)
        fresh &= marks_set(&m, set[i]) == (i < 6);
    ok(fresh && marks_take(&m, got) == 6 && memcmp(got, want, sizeof want) == 0, "marks come out once, in order");
    ok(marks_take(&m, got) == 0, "and are gone");
    marks_close(&m);
}

static bool is(struct changes *c, uint64_t since, size_t n, uint32_t first)
{
    size_t got = 0;
    const uint32_t *list = changes_since(c, since, &got);
    return list != NULL && got == n && list[0] == first;
}

static void known_changes(void)
{
    enum { FEW = 10 };
    static const uint32_t a[] = { 3, 9 }, b[] = { 1, 3 }, all[FEW] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    struct changes c = { .size = 2 * FEW };
    struct err e = { 0 };
    size_t n;
    changes_note(&c, 7, NULL, 0, &e);
    ok(changes_since(&c, 7, &n) == NULL && changes_since(&c, 6, &n) == NULL && changes_since(&c, 9, &n) == NULL,
       "nothing is known of what changed before, or comes later");
    changes_note(&c, 8, a, 2, &e);
    changes_note(&c, 9, b, 2, &e);
    ok(is(&c, 8, 2, 1) && is(&c, 7, 3, 1) && is(&c, 8, 2, 1) && changes_since(&c, 6, &n) == NULL,
       "what two updates changed is listed once, in order");
    changes_note(&c, 10, NULL, 0, &e);
    ok(changes_since(&c, 9, &n) == NULL, "an update of all of them leaves nothing known");
    changes_note(&c, 12, a, 2, &e);
    ok(changes_since(&c, 10, &n) == NULL && is(&c, 11, 2, 3), "nor does one that was not told of");
    changes_note(&c, 13, all, FEW, &e);
    ok(changes_since(&c, 11, &n) == NULL && changes_since(&c, 12, &n) == NULL, "as many as half of them are all");
    bool right = true;
    for (uint32_t v = 14; v < 5000; v++) {
        uint32_t one = v % (2 * FEW);
        changes_note(&c, v, &one, 1, &e);
        right &= is(&c, v - 1, 1, one);
        if (v > 40)
            right &= changes_since(&c, v - 9, &n) != NULL && n == 9 && changes_since(&c, v - 11, &n) == NULL;
    }
    ok(right && c.index_cap < 200, "of many updates the last are known, in memory that does not grow");
    changes_close(&c);
}

int main(void)
{
    marks();
    known_changes();
    same_bits();
    diverges();
    return tap_done();
}
