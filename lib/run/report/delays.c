/* Durations of minibatches: computation plus injected delay, whole or cut short. */
#include <stdlib.h>

#include "base/mem.h"
#include "run/report/report.h"

struct duration {
    double seconds;
    bool censored; /* broken off after that long: it would have taken longer */
};

struct delays {
    struct duration *v;
    size_t n, cap;
};

static int event(void *state, const struct trace_event *ev, const struct fact *f, struct err *e)
{
    (void)f;
    struct delays *d = state;
    double seconds;
    bool censored;
    if (!trace_duration(ev, &seconds, &censored))
        return 0;
    if (mem_grow(&d->v, &d->cap, d->n + 1, sizeof *d->v, e) < 0)
        return -1;
    d->v[d->n++] = (struct duration){ seconds, censored };
    return 0;
}

static const char *const columns[] = { "duration", "censored", NULL };

static int rows(void *state, const struct report_conf *c, const struct ledger *l, struct err *e)
{
    const struct delays *d = state;
    struct tsv out;
    (void)l, (void)e;
    tsv_open(&out, stdout, c->json, "dsgd-trace-delays/1", columns);
    for (size_t i = 0; i < d->n; i++) {
        tsv_real(&out, d->v[i].seconds);
        tsv_whole(&out, d->v[i].censored);
        tsv_end(&out);
    }
    return 0;
}

static void end(void *state)
{
    free(((struct delays *)state)->v);
}

const struct report_ops report_delays = {
    .plug = { .name = "delays",
              .help = "a row a minibatch: its duration, and whether it was cut short" },
    .columns = columns,
    .state = sizeof(struct delays),
    .event = event,
    .rows = rows,
    .close = end,
};
