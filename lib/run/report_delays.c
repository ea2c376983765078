/* Durations of minibatches: computation plus injected delay, whole or cut short. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "run/report.h"

struct duration {
    double seconds;
    bool censored; /* broken off after that long: it would have taken longer */
};

struct delays {
    struct duration *v;
    size_t n, cap;
};

/* What becomes of a minibatch, and whether that cut it short. */
static const struct {
    bool told, censored;
} kinds[TRACE_KINDS] = {
    [TRACE_PUSH] = { true, false },     [TRACE_LATE] = { true, false },
    [TRACE_DROP] = { true, false },     [TRACE_CANCELLED] = { true, true },
    [TRACE_LEAVE] = { true, true },
};

/* Nothing is known of a minibatch that was lost with its worker, or broken off before it began. */
static int event(void *state, const struct trace_event *ev, struct err *e)
{
    struct delays *d = state;
    bool censored = kinds[ev->kind].censored;
    double seconds = ev->compute + ev->delay;
    if (!kinds[ev->kind].told || isnan(seconds) || (censored && seconds <= 0))
        return 0;
    if (mem_grow(&d->v, &d->cap, d->n + 1, sizeof *d->v, e) < 0)
        return -1;
    d->v[d->n++] = (struct duration){ seconds, censored };
    return 0;
}

static int rows(void *state, struct tsv *out, struct err *e)
{
    const struct delays *d = state;
    (void)e;
    for (size_t i = 0; i < d->n; i++) {
        tsv_real(out, d->v[i].seconds);
        tsv_whole(out, d->v[i].censored);
        tsv_end(out);
    }
    return 0;
}

static void end(void *state)
{
    free(((struct delays *)state)->v);
}

static const char *const columns[] = { "duration", "censored", NULL };

const struct report_ops report_delays = {
    .plug = { .name = "delays", .help = "a row a minibatch: its duration, and whether it was cut short" },
    .columns = columns,
    .state = sizeof(struct delays),
    .event = event,
    .rows = rows,
    .close = end,
};
