/* How stale the gradients were that updates used: a histogram. */
#include <stdlib.h>

#include "base/mem.h"
#include "run/report/report.h"

struct staleness {
    uint64_t *v; /* of each push */
    size_t n, cap;
    size_t used; /* pushes before the last update */
};

static int event(void *state, const struct trace_event *ev, const struct fact *f, struct err *e)
{
    (void)f;
    struct staleness *s = state;
    if (ev->kind == TRACE_UPDATE)
        s->used = s->n;
    if (ev->kind != TRACE_PUSH)
        return 0;
    if (mem_grow(&s->v, &s->cap, s->n + 1, sizeof *s->v, e) < 0)
        return -1;
    s->v[s->n++] = ev->staleness;
    return 0;
}

static int ascending(const void *a, const void *b)
{
    uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return p < q ? -1 : p > q;
}

static const char *const columns[] = { "staleness", "gradients", "fraction", NULL };

static int rows(void *state, const struct report_conf *c, const struct ledger *l, struct err *e)
{
    struct staleness *s = state;
    struct tsv out;
    (void)l, (void)e;
    tsv_open(&out, stdout, c->json, "dsgd-trace-staleness/1", columns);
    if (s->used > 0)
        qsort(s->v, s->used, sizeof *s->v, ascending);
    for (size_t i = 0, next; i < s->used; i = next) {
        for (next = i + 1; next < s->used && s->v[next] == s->v[i];)
            next++;
        tsv_whole(&out, s->v[i]);
        tsv_whole(&out, next - i);
        tsv_real(&out, (double)(next - i) / (double)s->used);
        tsv_end(&out);
    }
    return 0;
}

static void end(void *state)
{
    free(((struct staleness *)state)->v);
}

const struct report_ops report_staleness = {
    .plug = { .name = "staleness", .help = "a row a staleness that occurred, and how many gradients had it" },
    .columns = columns,
    .state = sizeof(struct staleness),
    .event = event,
    .rows = rows,
    .close = end,
};
