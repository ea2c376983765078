/* Random numbers from named streams: Philox4x32-10 (Salmon et al., SC 2011).
 * Key = seed; counter = (stream, rank, index, draw). The same place in a stream gives the same
 * number in every program. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

enum rng_stream {
    RNG_START = 0,
    RNG_SHUFFLE = 1,
    RNG_MINIBATCH = 2,
    RNG_DELAY = 3,
    RNG_EXCHANGE = 4,
    RNG_FIT = 8,
    RNG_CURVATURE = 9
};

struct rng {
    uint32_t key[2];
    uint32_t counter[4]; /* stream, rank, index, draw (next block) */
    uint32_t out[4];
    unsigned left; /* words of out not yet taken */
};

/* One block of the generator. */
void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

void rng_open(struct rng *r, uint64_t seed, enum rng_stream stream, uint64_t rank, uint64_t index);
uint32_t rng_u32(struct rng *r);
double rng_uniform(struct rng *r); /* in (0, 1), 53 bits, never 0 or 1 */
double rng_normal(struct rng *r);  /* mean 0, deviation 1 (Box-Muller, one of the pair) */

/* A permutation of 0 .. n-1 whose every place can be computed alone: a Feistel network of six
 * rounds on ceil(log2 n) bits, made even, cycle-walked (COMMANDS, Conventions). */
struct perm {
    uint64_t n;
    unsigned half; /* bits of one half */
    uint32_t key[6];
};
void perm_open(struct perm *p, uint64_t n, uint64_t seed, enum rng_stream stream, uint64_t rank,
               uint64_t index);
uint64_t perm_at(const struct perm *p, uint64_t i); /* i < n; the answer < n */
uint64_t perm_find(const struct perm *p, uint64_t v); /* the i whose perm_at is v */

#endif
