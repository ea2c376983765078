/* What every worker of a trace has in hand. */
#include "run/report/ledger.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

enum { WORKERS_MAX = 1 << 20 };

static struct book *book_of(struct ledger *l, uint64_t worker, struct err *e)
{
    if (worker >= WORKERS_MAX) {
        err_set(e, ERR_DATA, "worker %llu: at most %d", (unsigned long long)worker, WORKERS_MAX - 1);
        return NULL;
    }
    if (mem_grow(&l->v, &l->cap, worker + 1, sizeof *l->v, e) < 0)
        return NULL;
    for (; l->n <= worker; l->n++)
        l->v[l->n] = (struct book){ .pushed = NAN };
    l->v[worker].seen = true;
    return &l->v[worker];
}

static int impossible(const struct trace_event *ev, const char *why, struct err *e)
{
    return err_set(e, ERR_DATA, "%s of worker %llu, minibatch %llu: %s", trace_names[ev->kind],
                   (unsigned long long)ev->worker, (unsigned long long)ev->seq, why);
}

/* Seqs follow each other; a run that was resumed begins where it stopped. */
static int on_send(struct book *b, const struct trace_event *ev, struct fact *f, struct err *e)
{
    if (ev->seq == TRACE_NA)
        return 0;
    if (b->started > 0 && ev->seq != b->next)
        return impossible(ev, "not the one that follows its last", e);
    if (mem_grow(&b->hand, &b->cap, b->hands + 1, sizeof *b->hand, e) < 0)
        return -1;
    b->hand[b->hands++] = (struct hand){ ev->seq, ev->version, ev->time };
    b->next = ev->seq + 1;
    b->started++;
    f->waiting = b->pushed;
    b->pushed = NAN;
    return 0;
}

static int on_settle(struct book *b, const struct trace_event *ev, struct fact *f, struct err *e)
{
    size_t i = 0;
    while (i < b->hands && b->hand[i].seq != ev->seq)
        i++;
    if (i == b->hands)
        return impossible(ev, b->started > 0 && ev->seq < b->next ? "it has its end already"
                                                                   : "it was not started", e);
    f->sent = b->hand[i].sent;
    for (b->hands--; i < b->hands; i++)
        b->hand[i] = b->hand[i + 1];
    return 0;
}

static int on_push(struct book *b, const struct trace_event *ev, struct fact *f, struct err *e)
{
    b->pushed = ev->time;
    return on_settle(b, ev, f, e);
}

/* Who has gone does not wait. What it had in hand may still get its end. */
static int on_away(struct book *b, const struct trace_event *ev, struct fact *f, struct err *e)
{
    b->pushed = NAN;
    return ev->kind == TRACE_LEAVE && ev->seq != TRACE_NA ? on_settle(b, ev, f, e) : 0;
}

/* Who comes again has nothing in hand. */
static int on_join(struct book *b, const struct trace_event *ev, struct fact *f, struct err *e)
{
    (void)ev, (void)f, (void)e;
    b->pushed = NAN;
    b->hands = 0;
    return 0;
}

static int (*const on[TRACE_KINDS])(struct book *, const struct trace_event *, struct fact *,
                                    struct err *) = {
    [TRACE_JOIN] = on_join,        [TRACE_SEND] = on_send,   [TRACE_PUSH] = on_push,
    [TRACE_LATE] = on_settle,      [TRACE_DROP] = on_settle, [TRACE_CANCELLED] = on_settle,
    [TRACE_GONE] = on_away,        [TRACE_LEAVE] = on_away,
};

int ledger_hear(struct ledger *l, const struct trace_event *ev, struct fact *f, struct err *e)
{
    *f = (struct fact){ .sent = NAN, .waiting = NAN };
    if (ev->worker == TRACE_NA)
        return 0;
    struct book *b = book_of(l, ev->worker, e);
    if (b == NULL)
        return -1;
    f->book = b;
    return on[ev->kind] == NULL ? 0 : on[ev->kind](b, ev, f, e);
}

void ledger_free(struct ledger *l)
{
    for (size_t w = 0; w < l->n; w++)
        free(l->v[w].hand);
    free(l->v);
    *l = (struct ledger){ 0 };
}
