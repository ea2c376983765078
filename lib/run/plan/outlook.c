/* What is to be expected of policies: times by formula or by simulation, errors by bounds. */
#include "run/plan/outlook.h"

#include <math.h>

#include "run/plan/measure.h"
#include "theory/error.h"

enum {
    ALL_DRAWS = 5000000, /* of all rows together, unless the user says how many each */
    EACH_WORKER = 10,    /* draws that each worker must have had at least, to have forgotten the start */
    LEAST_UPDATES = 30
};

/* By formula. */
static int predict(const struct outlook *o, struct prospect *p, struct err *e)
{
    const struct knobs *k = &p->knobs;
    if (o->comm != NULL) { /* the sum of two draws: no formula is known */
        p->time = (struct runtime){ NAN, METHOD_BOUND, 0, INFINITY, NAN, NAN, NAN };
        return 0;
    }
    struct runtime_policy which = {
        .name = p->policy.plug->name,
        .k = k->combine,
        .bound = k->ahead != NO_BOUND ? k->ahead : k->age,
        .drop = k->drop,
    };
    return runtime_of(&p->time, &which, o->delays, e);
}

/* Watts that all workers alike draw at work; NAN where they differ. */
static double common_watts(const struct prices *p, bool idle)
{
    double first = idle ? p->of[0].idle : p->of[0].busy;
    for (uint64_t i = 1; i < p->workers; i++)
        if ((idle ? p->of[i].idle : p->of[i].busy) != first)
            return NAN;
    return first;
}

/* p_busy busy + p_idle (P E[T] - busy) (THEORY 2.4). Workers that draw different powers share the work
 * alike when their delays are alike: then their mean counts. */
static double joules_of(const struct outlook *o, const struct prospect *p)
{
    const struct prices *prices = o->prices;
    double busy = 0, idle = 0, workers = (double)prices->workers;
    if (!prices->watted)
        return NAN;
    bool alike = o->delays->laws == 1;
    for (uint64_t i = 0; alike && i < prices->workers; i++) {
        busy += prices->of[i].busy / workers;
        idle += prices->of[i].idle / workers;
    }
    if (!alike) {
        busy = common_watts(prices, false);
        idle = common_watts(prices, true);
    }
    return busy * p->time.busy + idle * (workers * p->time.mean - p->time.busy);
}

/* Something of it no formula tells. */
static bool is_open(const struct outlook *o, const struct prospect *p)
{
    const struct runtime *t = &p->time;
    if (isinf(t->mean) && t->method != METHOD_BOUND)
        return false;
    return t->method == METHOD_BOUND || t->method == METHOD_SIMULATED || isnan(t->staleness) ||
           isnan(t->wasted) || (o->prices->watted && isnan(p->joules));
}

/* What was seen stands only for what is not known. */
static void merge(const struct outlook *o, struct prospect *p, const struct measured *m)
{
    struct runtime *t = &p->time;
    if (t->method == METHOD_BOUND || t->method == METHOD_SIMULATED) {
        t->mean = m->seconds;
        t->method = METHOD_SIMULATED;
        p->error = m->error;
    }
    t->staleness = isnan(t->staleness) ? m->staleness : t->staleness;
    t->wasted = isnan(t->wasted) ? m->wasted : t->wasted;
    p->joules = joules_of(o, p);
    p->joules = isnan(p->joules) ? m->joules : p->joules;
}

static uint64_t draws_each(const struct outlook *o, size_t rows)
{
    uint64_t share = ALL_DRAWS / (rows > 0 ? rows : 1), most = o->conf->draws;
    return plan_given(o->conf, "draws") || share > most ? most : share;
}

/* An update that voids all else takes a minibatch of every worker. */
static bool too_few(const struct outlook *o, const struct prospect *p, uint64_t draws)
{
    double each = (double)o->delays->workers, k = (double)p->knobs.combine, n = (double)draws;
    double update = p->knobs.voids ? fmax(k, each) : k;
    return !plan_given(o->conf, "draws") && (n < EACH_WORKER * each || n < LEAST_UPDATES * update);
}

static int simulate_open(const struct outlook *o, struct prospects *p, size_t rows, struct err *e)
{
    struct measure_conf conf = { o->delays, o->comm, o->prices, o->conf->train.seed, draws_each(o, rows) };
    struct measured m;
    size_t left = 0;
    for (size_t i = 0; i < p->n; i++) {
        struct prospect *one = &p->v[i];
        if (!is_open(o, one) || conf.draws == 0)
            continue;
        if (too_few(o, one, conf.draws)) {
            left++;
            continue;
        }
        if (measure(&m, &one->policy, &conf, e) < 0)
            return err_ctx(e, "%s", one->policy.text);
        if (isnan(m.seconds))
            left++;
        else
            merge(o, one, &m);
    }
    if (left > 0)
        log_note(&o->conf->log, "%zu rows have no formula, and more workers than could be simulated with so "
                 "few minibatches: they have bounds, or NA (more --draws; -p chooses some rows)", left);
    return 0;
}

int outlook_times(const struct outlook *o, struct prospects *p, struct err *e)
{
    size_t rows = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (predict(o, &p->v[i], e) < 0)
            return err_ctx(e, "%s", p->v[i].policy.text);
        p->v[i].joules = joules_of(o, &p->v[i]);
        rows += is_open(o, &p->v[i]);
    }
    return simulate_open(o, p, rows, e);
}

static struct objective objective_of(const struct outlook *o)
{
    const struct constants *c = o->constants;
    return (struct objective){
        .L = c->L,
        .c = c->c,
        .sigma2 = c->sigma2,
        .m_g = c->m_g,
        .gap = c->gap,
        .gamma = c->gamma,
        .p0 = !isnan(c->p0) ? c->p0 : o->comm != NULL ? 0 : error_p0(o->delays),
        .m = (double)o->conf->train.batch,
    };
}

static struct updates updates_of(const struct outlook *o, const struct prospect *p)
{
    return (struct updates){ o->step, (double)p->knobs.combine, p->stale };
}

/* Nothing bounds the error when the step is too large, or staleness does too much harm. */
static bool bounded(const struct objective *b, const struct updates *u)
{
    return error_contraction(b, u) > 0 && u->eta <= error_ceiling(b, u);
}

double outlook_seconds(const struct outlook *o, const struct prospect *p, double noise)
{
    struct objective b = objective_of(o);
    struct updates u = updates_of(o, p);
    b.sigma2 *= noise;
    if (isnan(o->target) || isnan(b.gap) || !bounded(&b, &u))
        return NAN;
    if (b.gap <= o->target)
        return 0;
    return o->target > 0 ? error_updates(&b, &u, o->target) * p->time.mean : INFINITY;
}

static void bound_one(const struct outlook *o, struct prospect *p)
{
    struct objective b = objective_of(o);
    struct updates u = updates_of(o, p);
    if (!bounded(&b, &u))
        return;
    p->floor = error_floor(&b, &u);
    p->seconds = outlook_seconds(o, p, 1);
}

/* Notes on bounds: of a race only for those who ask. */
static const struct log *log_of(const struct outlook *o, struct log *own)
{
    *own = o->conf->log;
    own->level -= o->raced;
    return own;
}

static void tell(const struct outlook *o, const struct prospects *p)
{
    struct log own;
    const struct log *log = log_of(o, &own);
    const struct constants *c = o->constants;
    struct objective b = objective_of(o);
    size_t stale = 0, high = 0, never = 0;
    double ceiling = INFINITY;
    for (size_t i = 0; i < p->n; i++) {
        struct updates u = updates_of(o, &p->v[i]);
        bool unknown = p->v[i].stale && !(error_contraction(&b, &u) > 0);
        stale += unknown;
        if (!unknown && o->step > error_ceiling(&b, &u)) {
            high++;
            ceiling = fmin(ceiling, error_ceiling(&b, &u));
        }
        never += isinf(p->v[i].seconds) != 0;
    }
    if (high > 0)
        log_note(log, "-e %g is too large for the bounds, which hold up to %g%s, in %zu of %zu rows: nothing "
                 "is said of their errors", o->step, ceiling, c->m_g > 0 ? " or somewhat more" : "", high, p->n);
    if (stale > 0 && isnan(c->gamma))
        log_note(log, "gamma, what staleness does, is not known (--gamma): nothing is said of the errors "
                 "of the %zu rows whose gradients may be stale", stale);
    else if (stale > 0)
        log_note(log, "gamma=%g is too much: nothing bounds the errors of the %zu rows whose gradients may "
                 "be stale", c->gamma, stale);
    if (never > 0)
        log_note(log, "by the bounds %zu of %zu rows never come to the target", never, p->n);
}

void outlook_errors(const struct outlook *o, struct prospects *p)
{
    const struct constants *c = o->constants;
    if (isnan(c->L) || isnan(c->c) || isnan(c->sigma2))
        return;
    struct log own;
    if (isnan(o->step))
        log_note(log_of(o, &own), "bounds are for plain sgd with a constant step (-e 0.1): nothing is said "
                 "of errors");
    else if (c->c == 0)
        log_note(log_of(o, &own), "c=0: there is no bound without curvature: nothing is said of errors");
    if (isnan(o->step) || c->c == 0)
        return;
    for (size_t i = 0; i < p->n; i++)
        bound_one(o, &p->v[i]);
    tell(o, p);
}

double outlook_bound(const struct outlook *o, const struct prospect *p, double seconds)
{
    struct objective b = objective_of(o);
    struct updates u = updates_of(o, p);
    double count = isinf(p->time.mean) ? 0 : seconds / p->time.mean;
    return isnan(p->floor) || !bounded(&b, &u) ? NAN : error_bound(&b, &u, count);
}

double outlook_money(const struct outlook *o, double seconds)
{
    double sum = 0;
    if (!o->prices->priced)
        return NAN;
    for (uint64_t i = 0; i < o->prices->workers; i++)
        sum += prices_money(o->prices, i, seconds);
    return sum;
}

double outlook_joules(const struct outlook *o, const struct prospect *p, double seconds)
{
    if (seconds == 0 || isinf(seconds))
        return o->prices->watted ? seconds : NAN;
    return p->joules * (seconds / p->time.mean);
}
