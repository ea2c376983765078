/* How long an update takes: a row a policy. */
#include "theory/runtime.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "theory/batch.h"
#include "theory/order.h"

enum { SHIFTED_MOST = 256 /* K of a k-batch-sync up to which its integral is quicker than a simulation */ };

/* What the rows work on. */
struct question {
    const struct delays *d;
    const struct runtime_policy *policy;
    uint64_t k;
    double p;        /* workers */
    double rate;     /* gradients a second when nobody waits and nothing is broken off */
    double slowest;  /* the greatest mean of a worker */
    unsigned ageing; /* of all laws */
};

static bool memoryless(const struct question *q)
{
    return q->ageing == (DELAY_NLU | DELAY_NSU);
}

/* The one law of all workers, if it is of that family. */
static const struct spec *alike(const struct question *q, const char *family)
{
    const struct spec *law = &q->d->law[0].law;
    return q->d->laws == 1 && delay_is(law, family) ? law : NULL;
}

static void settle(struct runtime *r, double mean, enum method method)
{
    r->mean = r->lower = r->upper = mean;
    r->method = method;
}

/* Between two bounds; an upper one is shown for want of better. */
static void bound(struct runtime *r, double lower, double upper)
{
    r->lower = lower;
    r->upper = upper;
    r->mean = isfinite(upper) ? upper : NAN;
    r->method = isfinite(upper) ? METHOD_BOUND : METHOD_SIMULATED;
    if (lower == upper)
        settle(r, lower, METHOD_EXACT);
}

/* Lemma 3: E[X_{K:P}], any law. Busy: sum_{i<=K} E[X_{i:P}] + (P-K) E[X_{K:P}] (THEORY 2.4). */
static int k_sync(struct runtime *r, const struct question *q, struct err *e)
{
    struct value kth, sum;
    if (order_mean(&kth, q->d, q->k, e) < 0 || order_sum(&sum, q->d, q->k, e) < 0)
        return -1;
    double lost = q->k < q->d->workers ? (q->p - (double)q->k) * kth.mean : 0;
    settle(r, kth.mean, kth.method);
    r->staleness = 0;
    r->busy = sum.mean + lost;
    r->wasted = lost == 0 ? 0 : lost / r->busy;
    return 0;
}

/* Lemma 4, K E[X] / P, any law; workers that differ: K / sum_i 1/E[X_i] (THEORY 2.2). */
static int k_batch_async(struct runtime *r, const struct question *q, struct err *e)
{
    (void)e;
    settle(r, (double)q->k / q->rate, METHOD_EXACT);
    r->staleness = (q->p - 1) / (double)q->k;
    r->busy = q->p * r->mean;
    r->wasted = 0;
    return 0;
}

/* Lemma 5: at most E[X_{K:P}] for NLU, equal if memoryless, at least that for NSU; never less than the
 * workers' time allows, K / sum_i 1/E[X_i]. A constant: all push at once, floor(P / K) updates each time. */
static int k_async_mean(struct runtime *r, const struct question *q, struct err *e)
{
    const struct spec *constant = alike(q, "const");
    double lower = (double)q->k / q->rate;
    struct value kth;
    if (order_mean(&kth, q->d, q->k, e) < 0)
        return -1;
    if (q->k == q->d->workers || memoryless(q))
        settle(r, kth.mean, kth.method);
    else if (constant)
        settle(r, delay_mean(constant) / floor(q->p / (double)q->k), METHOD_EXACT);
    else if (q->ageing == DELAY_NLU)
        bound(r, lower, kth.mean);
    else
        bound(r, q->ageing == DELAY_NSU ? fmax(lower, kth.mean) : lower, INFINITY);
    return 0;
}

static int k_async(struct runtime *r, const struct question *q, struct err *e)
{
    if (q->k == 1)
        return k_batch_async(r, q, e);
    if (k_async_mean(r, q, e) < 0)
        return -1;
    r->staleness = q->p / (double)q->k - 1;
    r->busy = q->d->laws == 1 ? (double)q->k * q->slowest : NAN;
    r->wasted = 0;
    return 0;
}

/* E[T] of whole rounds of all workers, then of those still missing: more than it takes when the fast
 * go on meanwhile. */
static int rounds(double *upper, const struct question *q, struct err *e)
{
    uint64_t whole = (q->k - 1) / q->d->workers;
    struct value all = { 0, METHOD_EXACT }, rest;
    if (whole > 0 && order_mean(&all, q->d, q->d->workers, e) < 0)
        return -1;
    if (order_mean(&rest, q->d, q->k - whole * q->d->workers, e) < 0)
        return -1;
    *upper = (double)whole * all.mean + rest.mean;
    return 0;
}

/* Memoryless: Erlang(K, sum of rates). Of the P-1 others' work, what has run since their last gradient
 * is lost: the part (P-1)(1 - (1-1/P)^K) / K. */
static void k_batch_sync_memoryless(struct runtime *r, const struct question *q)
{
    settle(r, (double)q->k / q->rate, METHOD_EXACT);
    if (q->d->laws == 1)
        r->wasted = (q->p - 1) * -expm1((double)q->k * log1p(-1 / q->p)) / (double)q->k;
}

/* A constant: all push at once, and in the last round only as many are used as are missing. */
static void k_batch_sync_constant(struct runtime *r, const struct question *q, double delay)
{
    double turns = ceil((double)q->k / q->p);
    settle(r, turns * delay, METHOD_EXACT);
    r->wasted = 1 - (double)q->k / (q->p * turns);
}

/* For every law at most as long as in rounds, path by path; NLU: at least K / sum_i 1/E[X_i]; NSU: at
 * most that. Gradients finish inside an update or are lost, so nobody is ever idle. */
static int k_batch_sync(struct runtime *r, const struct question *q, struct err *e)
{
    const struct spec *constant = alike(q, "const"), *shifted = alike(q, "shifted-exp");
    double ideal = (double)q->k / q->rate, upper, seconds;
    if (q->k == 1 || q->p == 1)
        return q->k == 1 ? k_sync(r, q, e) : k_batch_async(r, q, e);
    if (rounds(&upper, q, e) < 0)
        return -1;
    r->staleness = 0;
    if (memoryless(q)) {
        k_batch_sync_memoryless(r, q);
    } else if (constant) {
        k_batch_sync_constant(r, q, delay_mean(constant));
    } else if (shifted && q->k <= SHIFTED_MOST) {
        double shift = delay_param(shifted, "shift"), mean = delay_param(shifted, "mean");
        if (batch_shifted_mean(&seconds, q->d->workers, q->k, shift, mean, e) < 0)
            return -1;
        settle(r, seconds, METHOD_NUMERIC);
    } else if (q->ageing == DELAY_NSU) {
        bound(r, 0, fmin(upper, ideal));
    } else {
        bound(r, q->ageing == DELAY_NLU ? ideal : 0, upper);
    }
    r->busy = q->p * r->mean;
    return 0;
}

/* With S = 0 all start together and push once before the next start, each push an update. Else in
 * between that and nobody ever waiting for any but the slowest. */
static int ssp(struct runtime *r, const struct question *q, struct err *e)
{
    struct value last;
    double sum = 0;
    if (order_mean(&last, q->d, q->d->workers, e) < 0)
        return -1;
    for (size_t i = 0; i < q->d->laws; i++)
        sum += (double)q->d->law[i].workers * delay_mean(&q->d->law[i].law);
    if (q->policy->bound == 0)
        settle(r, last.mean / q->p, last.method);
    else
        bound(r, q->slowest / q->p, last.mean / q->p);
    r->staleness = q->policy->bound == 0 ? (q->p - 1) / 2 : NAN;
    r->busy = sum / q->p;
    r->wasted = 0;
    return 0;
}

/* R = 1, breaking off: every update voids all other work, as k-sync:1 does. Breaking off costs nothing
 * where delays are memoryless. What is dropped on arrival took its whole time. */
static int bounded(struct runtime *r, const struct question *q, struct err *e)
{
    if (q->policy->bound == 1 && !q->policy->drop)
        return k_sync(r, q, e);
    if (memoryless(q) && !q->policy->drop)
        settle(r, 1 / q->rate, METHOD_EXACT);
    else
        bound(r, q->policy->drop ? 1 / q->rate : 0, INFINITY);
    r->staleness = q->policy->bound == 1 ? 0 : NAN;
    r->busy = q->p * r->mean;
    return 0;
}

static const struct row {
    const char *name;
    uint64_t k; /* fixed; 0: given; UINT64_MAX: P */
    bool distinct;
    int (*answer)(struct runtime *r, const struct question *q, struct err *e);
} rows[] = {
    { "sync", UINT64_MAX, true, k_sync },
    { "k-sync", 0, true, k_sync },
    { "k-batch-sync", 0, false, k_batch_sync },
    { "async", 1, true, k_async },
    { "k-async", 0, true, k_async },
    { "k-batch-async", 0, false, k_batch_async },
    { "ssp", 1, false, ssp },
    { "bounded", 1, false, bounded },
};

static const struct row *find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

static void look_at(struct question *q)
{
    q->ageing = DELAY_NLU | DELAY_NSU;
    for (size_t i = 0; i < q->d->laws; i++) {
        double mean = delay_mean(&q->d->law[i].law);
        q->rate += (double)q->d->law[i].workers / mean;
        q->slowest = fmax(q->slowest, mean);
        q->ageing &= delay_ageing(&q->d->law[i].law);
    }
}

int runtime_of(struct runtime *r, const struct runtime_policy *p, const struct delays *d,
               struct err *e)
{
    const struct row *row = find(p->name);
    if (row == NULL)
        return err_set(e, ERR_USAGE, "no formula for policy '%s'", p->name);
    struct question q = { .d = d, .policy = p, .p = (double)d->workers };
    q.k = row->k == 0 ? p->k : row->k == UINT64_MAX ? d->workers : row->k;
    if (q.k < 1 || (row->distinct && q.k > d->workers))
        return err_set(e, ERR_USAGE, "K=%" PRIu64 " with %" PRIu64 " workers", q.k, d->workers);
    look_at(&q);
    *r = (struct runtime){ .mean = NAN,
                           .method = METHOD_SIMULATED,
                           .upper = INFINITY,
                           .staleness = NAN,
                           .busy = NAN,
                           .wasted = NAN };
    return row->answer(r, &q, e);
}
