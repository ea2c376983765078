/* Random numbers from named streams: Philox4x32-10 (Salmon et al., SC 2011). */
#include "base/rng.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 10, FEISTEL = 6 };

static void mulhilo(uint32_t a, uint32_t b, uint32_t *hi, uint32_t *lo)
{
    uint64_t p = (uint64_t)a * b;
    *hi = (uint32_t)(p >> 32);
    *lo = (uint32_t)p;
}

void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t x[4], k0 = key[0], k1 = key[1];
    memcpy(x, counter, sizeof x);
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t hi0, lo0, hi1, lo1;
        mulhilo(0xD2511F53u, x[0], &hi0, &lo0);
        mulhilo(0xCD9E8D57u, x[2], &hi1, &lo1);
        x[0] = hi1 ^ x[1] ^ k0;
        x[1] = lo1;
        x[2] = hi0 ^ x[3] ^ k1;
        x[3] = lo0;
        k0 += 0x9E3779B9u; /* golden ratio */
        k1 += 0xBB67AE85u; /* sqrt(3) - 1 */
    }
    memcpy(out, x, sizeof x);
}

/* Streams are few: the upper bits of an index beyond 2^32 go above the stream's number, so that
 * runs of any length never meet their own past. */
void rng_open(struct rng *r, uint64_t seed, enum rng_stream stream, uint64_t rank, uint64_t index)
{
    memset(r, 0, sizeof *r);
    r->key[0] = (uint32_t)seed;
    r->key[1] = (uint32_t)(seed >> 32);
    r->counter[0] = (uint32_t)stream | (uint32_t)(index >> 32) << 8;
    r->counter[1] = (uint32_t)rank;
    r->counter[2] = (uint32_t)index;
}

uint32_t rng_u32(struct rng *r)
{
    if (r->left == 0) {
        philox4x32(r->counter, r->key, r->out);
        r->counter[3]++;
        r->left = 4;
    }
    return r->out[4 - r->left--];
}

/* Multiples of 2^-53; the one that would be 0 becomes half a step. */
double rng_uniform(struct rng *r)
{
    uint64_t high = rng_u32(r);
    uint64_t bits = (high << 32 | rng_u32(r)) >> 11;
    return bits == 0 ? 0x1p-54 : (double)bits * 0x1p-53;
}

double rng_normal(struct rng *r)
{
    const double two_pi = 6.283185307179586476925;
    double radius = sqrt(-2 * log(rng_uniform(r)));
    return radius * cos(two_pi * rng_uniform(r));
}

void perm_open(struct perm *p, uint64_t n, uint64_t seed, enum rng_stream stream, uint64_t rank,
               uint64_t index)
{
    unsigned bits = 0;
    while (bits < 64 && n > (uint64_t)1 << bits)
        bits++;
    p->n = n;
    p->half = bits < 2 ? 1 : (bits + 1) / 2;
    struct rng r;
    rng_open(&r, seed, stream, rank, index);
    for (int i = 0; i < FEISTEL; i++)
        p->key[i] = rng_u32(&r);
}

/* Both halves of two products, so that every bit of x and of the key reaches the low bits. */
static uint32_t feistel(uint32_t x, uint32_t key)
{
    uint32_t hi, lo;
    mulhilo(0xD2511F53u, x ^ key, &hi, &lo);
    mulhilo(0xCD9E8D57u, hi ^ lo ^ (key << 16 | key >> 16), &hi, &lo);
    return hi ^ lo;
}

static uint64_t encrypt(const struct perm *p, uint64_t i)
{
    uint32_t mask = (uint32_t)(((uint64_t)1 << p->half) - 1);
    uint32_t left = (uint32_t)(i >> p->half) & mask;
    uint32_t right = (uint32_t)i & mask;
    for (int k = 0; k < FEISTEL; k++) {
        uint32_t next = left ^ (feistel(right, p->key[k]) & mask);
        left = right;
        right = next;
    }
    return (uint64_t)left << p->half | right;
}

/* The rounds backwards. */
static uint64_t decrypt(const struct perm *p, uint64_t v)
{
    uint32_t mask = (uint32_t)(((uint64_t)1 << p->half) - 1);
    uint32_t left = (uint32_t)(v >> p->half) & mask;
    uint32_t right = (uint32_t)v & mask;
    for (int k = FEISTEL - 1; k >= 0; k--) {
        uint32_t before = right ^ (feistel(left, p->key[k]) & mask);
        right = left;
        left = before;
    }
    return (uint64_t)left << p->half | right;
}

/* The network permutes at most 4n places (16 for n = 5); those beyond n are walked through. */
uint64_t perm_at(const struct perm *p, uint64_t i)
{
    do
        i = encrypt(p, i);
    while (i >= p->n);
    return i;
}

uint64_t perm_find(const struct perm *p, uint64_t v)
{
    do
        v = decrypt(p, v);
    while (v >= p->n);
    return v;
}
