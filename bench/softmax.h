/* A softmax regression's gradient as a plain loop has it: everything in memory, nothing around it. */
#ifndef BENCH_SOFTMAX_H
#define BENCH_SOFTMAX_H

#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
#pragma GCC target("avx2,fma") /* nobody has to run it elsewhere */
#pragma GCC optimize("O3")
#endif

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FEATURES = 784, CLASSES = 10, WIDE = 16 /* classes, padded to whole vectors */, HELD = 10000, BATCH = 128 };

typedef float half __attribute__((vector_size(8 * sizeof(float)), aligned(4)));

struct softmax {
    float *x;     /* (HELD, FEATURES) */
    int *y;       /* (HELD) */
    float *w, *g; /* (FEATURES, WIDE) */
    float *s;     /* (BATCH, WIDE) */
    uint64_t state;
};

static inline uint64_t softmax_draw(struct softmax *q)
{
    q->state ^= q->state >> 12;
    q->state ^= q->state << 25;
    q->state ^= q->state >> 27;
    return q->state * UINT64_C(2685821657736338717) >> 32;
}

static inline int softmax_open(struct softmax *q)
{
    size_t wide = sizeof(float[FEATURES * WIDE]);
    *q = (struct softmax){ .x = malloc(sizeof(float[FEATURES]) * HELD),
                           .y = malloc(sizeof(int[HELD])),
                           .w = aligned_alloc(64, wide),
                           .g = aligned_alloc(64, wide),
                           .s = aligned_alloc(64, sizeof(float[BATCH * WIDE])),
                           .state = 1 };
    if (!q->x || !q->y || !q->w || !q->g || !q->s)
        return -1;
    memset(q->w, 0, wide);
    for (size_t i = 0; i < HELD; i++) {
        q->y[i] = (int)(softmax_draw(q) % CLASSES);
        for (int f = 0; f < FEATURES; f++)
            q->x[i * FEATURES + (size_t)f] =
                (f % CLASSES == q->y[i] ? 0.4f : 0.1f) * (float)softmax_draw(q) / 4294967296.0f;
    }
    return 0;
}

/* Four rows share what is loaded of w: 8 vectors of sums. */
static inline void softmax_scores(const struct softmax *q, const size_t *row, float *s)
{
    half sum[4][2] = { { { 0 } } };
    for (size_t f = 0; f < FEATURES; f++) {
        const half *w = (const half *)(const void *)(q->w + f * WIDE);
#pragma GCC unroll 4
        for (int r = 0; r < 4; r++) {
            float x = q->x[row[r] * FEATURES + f];
            sum[r][0] += x * w[0];
            sum[r][1] += x * w[1];
        }
    }
    half *to = (half *)(void *)(s);
#pragma GCC unroll 4
    for (int r = 0; r < 4; r++) {
        to[2 * r] = sum[r][0];
        to[2 * r + 1] = sum[r][1];
    }
}

/* Four features' sums over the whole minibatch, from derivatives that stand in s. */
static inline void softmax_sums(const struct softmax *q, const size_t *row, size_t f)
{
    half sum[4][2] = { { { 0 } } };
    for (size_t i = 0; i < BATCH; i++) {
        const half *d = (const half *)(const void *)(q->s + i * WIDE);
        const float *x = q->x + row[i] * FEATURES + f;
#pragma GCC unroll 4
        for (int r = 0; r < 4; r++) {
            sum[r][0] += x[r] * d[0];
            sum[r][1] += x[r] * d[1];
        }
    }
    half *to = (half *)(void *)(q->g + f * WIDE);
#pragma GCC unroll 4
    for (int r = 0; r < 4; r++) {
        to[2 * r] = sum[r][0];
        to[2 * r + 1] = sum[r][1];
    }
}

/* A row's loss; its scores become derivatives, for the mean. */
static inline double softmax_point(float *s, int y)
{
    float most = s[0], all = 0;
    for (int c = 1; c < CLASSES; c++)
        most = s[c] > most ? s[c] : most;
    double loss = (double)most - (double)s[y];
    for (int c = 0; c < CLASSES; c++)
        all += s[c] = expf(s[c] - most);
    for (int c = 0; c < WIDE; c++)
        s[c] = c < CLASSES ? (s[c] / all - (float)(c == y)) / BATCH : 0;
    return loss + log((double)all);
}

/* The mean gradient of a minibatch at random, in g; its mean loss. */
static inline double softmax_gradient(struct softmax *q)
{
    size_t row[BATCH];
    double loss = 0;
    for (size_t i = 0; i < BATCH; i++)
        row[i] = softmax_draw(q) % HELD;
    for (size_t i = 0; i < BATCH; i += 4)
        softmax_scores(q, row + i, q->s + i * WIDE);
    for (size_t i = 0; i < BATCH; i++)
        loss += softmax_point(q->s + i * WIDE, q->y[row[i]]);
    for (size_t f = 0; f < FEATURES; f += 4)
        softmax_sums(q, row, f);
    return loss / BATCH;
}

#endif
