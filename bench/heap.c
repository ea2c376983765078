/* The least that a simulation of P workers costs: a binary heap of (time, worker), and a draw of an
 * exponential time for whoever is on top.
 * usage: heap P EVENTS     (prints the time of the last event) */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct entry {
    double time;
    size_t worker;
};

/* xorshift64*, and minus the logarithm of a number in (0, 1]. */
static double draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return -log((double)((*state * UINT64_C(2685821657736338717) >> 11) + 1) * 0x1p-53);
}

static void sift_up(struct entry *h, size_t i)
{
    struct entry e = h[i];
    for (; i > 0 && e.time < h[(i - 1) / 2].time; i = (i - 1) / 2)
        h[i] = h[(i - 1) / 2];
    h[i] = e;
}

static void sift_down(struct entry *h, size_t n)
{
    struct entry e = h[0];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && h[child + 1].time < h[child].time;
        if (e.time <= h[child].time)
            break;
        h[i] = h[child];
    }
    h[i] = e;
}

int main(int argc, char **argv)
{
    size_t n = argc == 3 ? (size_t)strtod(argv[1], NULL) : 0;
    size_t events = argc == 3 ? (size_t)strtod(argv[2], NULL) : 0;
    struct entry *h = n > 0 ? malloc(n * sizeof *h) : NULL;
    uint64_t state = 1;
    if (h == NULL)
        return fprintf(stderr, "usage: heap P EVENTS\n"), 2;
    for (size_t i = 0; i < n; i++) {
        h[i] = (struct entry){ draw(&state), i };
        sift_up(h, i);
    }
    for (size_t i = 0; i < events; i++) {
        h[0].time += draw(&state);
        sift_down(h, n);
    }
    printf("%.9g\n", h[0].time);
    free(h);
    return 0;
}
