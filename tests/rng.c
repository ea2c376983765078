/* Random streams and permutations: the published answers of Philox, and the promises of rng.h. */
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"

/* Known answers of philox4x32-10, as published with the Random123 library. */
static const struct {
    uint32_t counter[4], key[2], out[4];
} known[] = {
    { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
    { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
      { 0xffffffff, 0xffffffff },
      { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
    { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
      { 0xa4093822, 0x299f31d0 },
      { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
};

static void test_known(void)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint32_t out[4];
        philox4x32(known[i].counter, known[i].key, out);
        ok(memcmp(out, known[i].out, sizeof out) == 0, "philox4x32-10 gives known answer %zu", i);
    }
}

/* Seed is the key; stream, rank, index and draw are the counter. */
static void test_counter(void)
{
    struct rng r;
    uint32_t out[4];
    rng_open(&r, 0x299f31d0a4093822, RNG_DELAY, 5, 7);
    for (int i = 0; i < 4; i++)
        rng_u32(&r);
    philox4x32((uint32_t[]){ RNG_DELAY, 5, 7, 1 }, known[2].key, out);
    ok(rng_u32(&r) == out[0], "the fifth number of a stream is the first of its block 1");
}

static uint32_t first(uint64_t seed, enum rng_stream stream, uint64_t rank, uint64_t index)
{
    struct rng r;
    rng_open(&r, seed, stream, rank, index);
    return rng_u32(&r);
}

static void test_streams(void)
{
    uint32_t here = first(1, RNG_DELAY, 2, 3);
    ok(first(1, RNG_DELAY, 2, 3) == here, "the same place gives the same number");
    ok(first(2, RNG_DELAY, 2, 3) != here && first(1 + (1ull << 32), RNG_DELAY, 2, 3) != here,
       "another seed gives another number, also when only its upper half differs");
    ok(first(1, RNG_MINIBATCH, 2, 3) != here, "another stream gives another number");
    ok(first(1, RNG_DELAY, 3, 3) != here, "another rank gives another number");
    ok(first(1, RNG_DELAY, 2, 4) != here && first(1, RNG_DELAY, 2, 3 + (1ull << 32)) != here,
       "another index gives another number, also 2^32 later");
}

/* A generator that gives chosen words next. */
static double uniform_of(uint32_t high, uint32_t low)
{
    struct rng r = { .out = { 0, 0, high, low }, .left = 2 };
    return rng_uniform(&r);
}

static void test_uniform(void)
{
    enum { N = 200000, BINS = 16 };
    ok(uniform_of(0, 0) > 0, "rng_uniform of the smallest words is not 0");
    ok(uniform_of(0xffffffff, 0xffffffff) < 1, "rng_uniform of the largest words is not 1");
    ok(uniform_of(0, 1u << 11) == 0x1p-53, "rng_uniform has 53 bits");
    struct rng r;
    unsigned count[BINS] = { 0 };
    double chi = 0, sum = 0, expected = (double)N / BINS;
    rng_open(&r, 1, RNG_START, 0, 0);
    for (int i = 0; i < N; i++) {
        double u = rng_uniform(&r);
        sum += u;
        count[(int)(u * BINS)]++;
    }
    for (int i = 0; i < BINS; i++)
        chi += pow(count[i] - expected, 2) / expected;
    ok(chi < 37.7, "rng_uniform fills %d bins evenly (chi-square %.1f, 0.1%% point 37.7)", BINS, chi);
    ok(fabs(sum / N - 0.5) < 0.0025, "rng_uniform has mean 1/2 (%.4f)", sum / N);
}

static void test_normal(void)
{
    enum { N = 200000 };
    struct rng r;
    double s1 = 0, s2 = 0, s4 = 0;
    rng_open(&r, 42, RNG_START, 1, 0);
    for (int i = 0; i < N; i++) {
        double x = rng_normal(&r);
        s1 += x;
        s2 += x * x;
        s4 += x * x * x * x;
    }
    ok(fabs(s1 / N) < 0.01 && fabs(s2 / N - 1) < 0.015 && fabs(s4 / N - 3) < 0.1,
       "rng_normal has mean 0, variance 1, fourth moment 3 (%.3f %.3f %.3f)", s1 / N, s2 / N, s4 / N);
}

static int bijective(uint64_t n, uint64_t seed)
{
    struct perm p;
    unsigned char *seen = calloc(n, 1);
    int good = seen != NULL;
    perm_open(&p, n, seed, RNG_SHUFFLE, 0, 0);
    for (uint64_t i = 0; good && i < n; i++) {
        uint64_t at = perm_at(&p, i);
        good = at < n && !seen[at];
        if (good)
            seen[at] = 1;
    }
    free(seen);
    return good;
}

static void test_bijective(void)
{
    uint64_t bad = 0;
    for (uint64_t n = 1; n <= 2000; n++)
        if (!bijective(n, n) && bad == 0)
            bad = n;
    ok(bad == 0, "perm_at is a permutation for every n from 1 to 2000 (first that is not: %llu)",
       (unsigned long long)bad);
    ok(bijective(1 << 20, 7) && bijective((1 << 20) + 1, 7), "and for a million rows");
}

static void test_large(void)
{
    struct perm p;
    int good = 1;
    perm_open(&p, UINT64_MAX, 1, RNG_SHUFFLE, 0, 0);
    ok(p.half == 32 && perm_at(&p, 0) != perm_at(&p, 1), "n may be 2^64 - 1");
    perm_open(&p, 1000000000000, 1, RNG_SHUFFLE, 0, 0);
    for (uint64_t i = 0; i < 1000; i++)
        good = good && perm_at(&p, i) < 1000000000000;
    ok(good, "with 10^12 rows every place is below 10^12");
}

/* Where each of 10 rows lands under 20000 seeds: 100 cells of 2000. */
static void test_even(void)
{
    enum { N = 10, SEEDS = 20000 };
    static unsigned count[N][N], order[24];
    double expected = (double)SEEDS / N, chi = 0, chi4 = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        struct perm p;
        perm_open(&p, N, (uint64_t)seed, RNG_SHUFFLE, 0, 0);
        for (unsigned i = 0; i < N; i++)
            count[i][perm_at(&p, i)]++;
        perm_open(&p, 4, (uint64_t)seed, RNG_SHUFFLE, 1, 0);
        uint64_t a = perm_at(&p, 0), b = perm_at(&p, 1), c = perm_at(&p, 2);
        order[a * 6 + (b - (b > a)) * 2 + (c > perm_at(&p, 3))]++;
    }
    for (int i = 0; i < N * N; i++)
        chi += pow(count[i / N][i % N] - expected, 2) / expected;
    for (int i = 0; i < 24; i++)
        chi4 += pow(order[i] - SEEDS / 24.0, 2) / (SEEDS / 24.0);
    ok(chi < 129.0, "each row lands everywhere equally often (chi-square %.1f, 0.1%% point 129)", chi);
    ok(chi4 < 2000, "all 24 orders of 4 rows occur (chi-square %.1f)", chi4);
}

static void test_keys(void)
{
    struct perm p, q;
    int same = 0;
    perm_open(&p, 1000, 1, RNG_MINIBATCH, 0, 0);
    perm_open(&q, 1000, 1, RNG_MINIBATCH, 0, 1);
    for (uint64_t i = 0; i < 1000; i++)
        same += perm_at(&p, i) == perm_at(&q, i);
    ok(same < 10, "the next pass has another order (%d of 1000 rows stay)", same);
}

int main(void)
{
    test_known();
    test_counter();
    test_streams();
    test_uniform();
    test_normal();
    test_bijective();
    test_large();
    test_even();
    test_keys();
    return tap_done();
}
