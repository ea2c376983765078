/* The event queue of simulated time, against one that looks at everybody. */
#include "run/calendar.h"

#include <stdlib.h>

#include "base/rng.h"
#include "lib/tap.h"

enum { WORKERS = 50, TURNS = 20000 };

/* What each worker has in the calendar; UINT64_MAX: nothing. */
static uint64_t until[WORKERS];

static bool earliest(uint64_t *time, uint64_t *worker)
{
    *time = UINT64_MAX;
    for (uint64_t r = 0; r < WORKERS; r++)
        if (until[r] < *time) {
            *time = until[r];
            *worker = r;
        }
    return *time != UINT64_MAX;
}

/* One of the things that a run does to the calendar; times are few, so that there are ties. */
static void turn(struct calendar *c, struct rng *r, uint64_t now)
{
    uint64_t worker = rng_u32(r) % WORKERS;
    switch (rng_u32(r) % 8) {
    case 0:
        calendar_remove(c, worker);
        until[worker] = UINT64_MAX;
        break;
    case 1: /* all start again, as when an update voids what is in hand */
        for (uint64_t w = 0; w < WORKERS; w++)
            calendar_put(c, w, until[w] = now + rng_u32(r) % 30);
        break;
    default:
        calendar_put(c, worker, until[worker] = now + rng_u32(r) % 30);
    }
}

static void test_order(void)
{
    struct err e = { 0 };
    struct calendar c = { 0 };
    struct rng r;
    bool same = calendar_open(&c, WORKERS, &e) == 0, small = true;
    uint64_t now = 0, time, worker, t, w = 0;
    rng_open(&r, 5, RNG_SHUFFLE, 0, 0);
    memset(until, 0xff, sizeof until);
    for (int i = 0; same && i < TURNS; i++) {
        turn(&c, &r, now);
        bool some = calendar_next(&c, &time, &worker), expected = earliest(&t, &w);
        same = some == expected && (!some || (time == t && worker == w));
        if (some && rng_u32(&r) % 3 > 0) {
            calendar_take(&c);
            until[worker] = UINT64_MAX;
            now = time;
        }
        small = small && c.n <= 2 * WORKERS + 64;
    }
    ok(same, "the earliest comes first, the lowest worker among equals, whatever was taken back before");
    ok(small, "what was taken back does not pile up");
    calendar_close(&c);
}

static void test_limits(void)
{
    struct err e = { 0 };
    struct calendar c = { 0 };
    uint64_t time, worker;
    ok(calendar_open(&c, UINT64_C(1) << 31, &e) < 0 && e.kind == ERR_USAGE, "too many workers: %s", e.text);
    e = (struct err){ 0 };
    ok(calendar_open(&c, 1, &e) == 0 && !calendar_next(&c, &time, &worker), "it is empty at first");
    calendar_remove(&c, 0);
    calendar_put(&c, 0, UINT64_MAX);
    ok(calendar_next(&c, &time, &worker) && time == UINT64_MAX && worker == 0, "it holds any time");
    calendar_take(&c);
    ok(!calendar_next(&c, &time, &worker), "and nothing when the last was taken");
    calendar_put(&c, 0, 3);
    calendar_put(&c, 0, 7);
    ok(calendar_next(&c, &time, &worker) && time == 7, "a later entry takes the place of an earlier one");
    calendar_close(&c);
}

int main(void)
{
    test_order();
    test_limits();
    return tap_done();
}
