/* Loops over floats: the same to the last bit as one float after the other, whatever the length. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/floats.h"
#include "base/rng.h"
#include "lib/tap.h"

enum { MOST = 70 };

/* All bits that a float can have, but finite. */
static void fill(float *x, size_t n, struct rng *r)
{
    for (size_t i = 0; i < n;) {
        uint32_t bits = rng_u32(r);
        memcpy(&x[i], &bits, sizeof bits);
        i += isfinite(x[i]);
    }
}

static bool same(const float *a, const float *b, size_t n)
{
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static bool widens(size_t n, struct rng *r)
{
    uint8_t bytes[MOST];
    float got[MOST], want[MOST], scale = 1 / 255.0f;
    for (size_t i = 0; i < n; i++)
        want[i] = (float)(bytes[i] = (uint8_t)rng_u32(r)) * scale;
    floats_widen(got, bytes, n, scale);
    return same(got, want, n);
}

/* Whether all loops over n floats do what they should. */
static bool length(size_t n, double decay, struct rng *r)
{
    float w[MOST], x[MOST], got[MOST], want[MOST];
    bool good, finite = true;
    fill(w, n, r);
    fill(x, n, r);
    memcpy(got, w, n * sizeof *w);
    for (size_t i = 0; i < n; i++)
        want[i] = w[i] + x[i];
    floats_add(got, x, n);
    good = same(got, want, n);
    memcpy(got, w, n * sizeof *w);
    for (size_t i = 0; i < n; i++)
        want[i] = w[i] / 7.0f;
    floats_divide(got, n, 7);
    good = good && same(got, want, n);
    for (size_t i = 0; i < n; i++) {
        double all = 0.3 * (double)x[i] + decay * (double)w[i];
        want[i] = (float)((double)w[i] - all);
        finite = finite && isfinite(want[i]);
    }
    return good && floats_descend(got, w, x, n, 0.3, decay) == finite && same(got, want, n);
}

static bool found(size_t n, size_t at, float what)
{
    float x[MOST] = { 0 }, w[MOST] = { 0 }, next[MOST];
    x[at] = what;
    return !floats_finite(x, n) && !floats_descend(next, w, x, n, 1, 0);
}

int main(void)
{
    struct rng r;
    size_t bad = 0, missed = 0, n;
    rng_open(&r, 1, RNG_START, 0, 0);
    for (n = 0; n < MOST; n++)
        for (int i = 0; i < 50; i++)
            bad += !length(n, i % 2 ? 0.01 : 0, &r) || !widens(n, &r);
    ok(bad == 0, "sums, quotients and steps have the bits of plain loops");
    for (n = 1; n < MOST; n++)
        for (size_t at = 0; at < n; at++)
            missed += !found(n, at, INFINITY) + !found(n, at, -INFINITY) + !found(n, at, NAN);
    float largest[MOST];
    for (n = 0; n < MOST; n++)
        largest[n] = n % 2 ? 3.40282347e38f : -1e-45f;
    ok(missed == 0 && floats_finite(largest, MOST), "what is not finite is found at every place, and nothing else is");
    return tap_done();
}
