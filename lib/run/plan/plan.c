/* dsgd-plan: what each policy would do on these workers, and which one to take. */
#include "run/plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tsv.h"
#include "run/plan/curve.h"
#include "run/plan/laws.h"
#include "run/plan/outlook.h"
#include "run/plan/race.h"

static const char *const columns[] = {
    "policy",       "K",          "runtime",     "method",         "stderr", "updates_per_s", "gradients_per_s",
    "wasted",       "staleness",  "error_floor", "time_to_target", "cost",   "energy",        NULL,
};

/* All that a plan is made of. */
struct planning {
    struct plan_conf *conf;
    struct laws laws;
    struct constants constants;
    struct prices prices;
    struct outlook outlook;
    struct prospects prospects;
    bool raced; /* seconds are those of the race */
};

static bool has_target(const struct plan_conf *c)
{
    return !isnan(c->target_loss) || !isnan(c->target_gap);
}

static void row(struct tsv *t, const struct planning *p, const struct prospect *one)
{
    const struct runtime *time = &one->time;
    double seconds = has_target(p->conf) ? one->seconds : time->mean;
    bool each = !has_target(p->conf);
    tsv_text(t, one->policy.plug->name);
    tsv_whole(t, one->knobs.combine);
    tsv_limit(t, time->mean);
    tsv_text(t, isnan(time->mean) ? NULL : method_names[time->method]);
    tsv_real(t, one->error);
    tsv_limit(t, 1 / time->mean);
    tsv_limit(t, (double)one->knobs.combine / time->mean);
    tsv_real(t, time->wasted);
    tsv_limit(t, time->staleness);
    tsv_limit(t, one->floor);
    tsv_limit(t, has_target(p->conf) ? one->seconds : NAN);
    tsv_limit(t, outlook_money(&p->outlook, seconds));
    tsv_limit(t, each ? one->joules : outlook_joules(&p->outlook, one, seconds));
    tsv_end(t);
}

/* Hours, money and joules to the target, or of an update. */
static void statement_row(struct tsv *t, const struct planning *p, const struct prospect *one)
{
    bool each = !has_target(p->conf);
    double seconds = each ? one->time.mean : one->seconds, hours = seconds / 3600;
    tsv_text(t, one->policy.plug->name);
    tsv_whole(t, one->knobs.combine);
    tsv_limit(t, each ? 1 : seconds / one->time.mean);
    tsv_limit(t, hours);
    tsv_limit(t, hours * (double)p->laws.workers);
    tsv_limit(t, outlook_money(&p->outlook, seconds));
    tsv_limit(t, each ? one->joules : outlook_joules(&p->outlook, one, seconds));
    tsv_end(t);
}

static void print_statement(const struct planning *p)
{
    static const char *const names[] = { "policy", "K", "updates", "hours", "worker_hours", "money", "joules", NULL };
    struct tsv t;
    tsv_open(&t, stdout, p->conf->json, "dsgd-plan-statement/1", names);
    for (size_t i = 0; i < p->prospects.n; i++)
        statement_row(&t, p, &p->prospects.v[i]);
}

static void print_table(const struct planning *p)
{
    struct tsv t;
    tsv_open(&t, stdout, p->conf->json, "dsgd-plan/1", columns);
    for (size_t i = 0; i < p->prospects.n; i++)
        row(&t, p, &p->prospects.v[i]);
}

/* What is to be little: NAN: it does not qualify. */
static double badness(const struct planning *p, const struct prospect *one)
{
    const struct plan_conf *c = p->conf;
    if (one->out)
        return NAN;
    if (!has_target(c))
        return p->raced ? one->loss : outlook_bound(&p->outlook, one, c->deadline);
    if (!isfinite(one->seconds) || one->seconds > c->deadline)
        return NAN;
    return !isnan(c->deadline) && p->prices.watted ? outlook_joules(&p->outlook, one, one->seconds) : one->seconds;
}

static const struct prospect *find_best(const struct planning *p)
{
    const struct prospect *best = NULL;
    double least = INFINITY, seconds = INFINITY;
    for (size_t i = 0; i < p->prospects.n; i++) {
        const struct prospect *one = &p->prospects.v[i];
        double bad = badness(p, one);
        bool better = bad < least || (bad == least && one->seconds < seconds);
        if (isnan(bad) || !better)
            continue;
        best = one;
        least = bad;
        seconds = one->seconds;
    }
    return best;
}

/* Options of dsgd-ps, as one line. */
static void print_best(const struct planning *p, const struct prospect *best)
{
    const char *step = p->conf->train.step.text;
    bool plain = strncmp(step, "const:", 6) == 0 && strchr(step, '=') == NULL;
    printf("-p %s -e %s -b %llu\n", best->policy.text, plain ? step + 6 : step,
           (unsigned long long)p->conf->train.batch);
}

/* Nothing qualifies: why. */
static int no_answer(const struct planning *p, struct err *e)
{
    const struct plan_conf *c = p->conf;
    double least = INFINITY, soonest = INFINITY;
    for (size_t i = 0; i < p->prospects.n; i++) {
        least = fmin(least, p->prospects.v[i].floor);
        soonest = fmin(soonest, p->prospects.v[i].seconds);
    }
    if (isfinite(soonest) && soonest > c->deadline)
        return err_set(e, ERR_NO, "no policy reaches the target within %g s: the first does after %g s",
                       c->deadline, soonest);
    if (p->raced)
        return err_set(e, ERR_NO, "no policy reached the target in the race; try another step (-e) or "
                       "target, or a longer --budget");
    if (isfinite(least))
        return err_set(e, ERR_NO, "no policy reaches the gap %g by the bounds, whose least floor is %g; try "
                       "a smaller step (-e) or a larger minibatch (-b)", p->outlook.target, least);
    return err_set(e, ERR_NO, "no policy reaches the target: there is no bound for any of them");
}

static int answer(const struct planning *p, struct err *e)
{
    const struct prospect *best = find_best(p);
    if (p->conf->best && best != NULL && !p->raced)
        log_note(&p->conf->log, "these figures are bounds, which cannot tell policies apart to better than a "
                 "factor of 2 L/c = %g in the noise: name SHARDs to race on", 2 * p->constants.L / p->constants.c);
    if (p->conf->curve)
        return curve_print(&p->outlook, &p->prospects, e);
    if (p->conf->statement)
        print_statement(p);
    else if (!p->conf->best)
        print_table(p);
    else if (best != NULL)
        print_best(p, best);
    return best == NULL && (p->conf->best || has_target(p->conf)) ? no_answer(p, e) : 0;
}

/* Bounds have a step only where it is the same each time, of plain sgd. */
static double step_of(const struct train_conf *t)
{
    const struct step_ops *step = (const struct step_ops *)t->step.plug;
    bool plain = strcmp(step->plug.name, "const") == 0 && strcmp(t->optimizer.plug->name, "sgd") == 0 &&
                 t->clip == 0 && t->correct.plug == NULL;
    return plain ? step->base(t->step.conf, 0) : NAN;
}

static int open_constants(struct planning *p, struct err *e)
{
    struct plan_conf *c = p->conf;
    p->constants = (struct constants)CONSTANTS_UNKNOWN;
    if (c->constants != NULL && constants_read(&p->constants, c->constants, e) < 0)
        return -1;
    constants_override(&p->constants, &c->given);
    double l2 = p->constants.l2;
    if (!isnan(l2) && !plan_given(c, "l2"))
        c->train.l2 = l2;
    else if (!isnan(l2) && l2 != c->train.l2)
        log_note(&c->log, "%s: the constants are those of --l2 %g, not of --l2 %g", c->constants, l2,
                 c->train.l2);
    if (c->train.model.plug == NULL && p->constants.model != NULL &&
        spec_parse(&c->train.model, &model_table, p->constants.model, e) < 0)
        return err_ctx(e, "%s: model", c->constants);
    return constants_check(&p->constants, e);
}

/* Without SHARDs a target is for the bounds, which speak of gaps. */
static int check_target(const struct planning *p, size_t shards, struct err *e)
{
    const struct plan_conf *c = p->conf;
    const struct constants *k = &p->constants;
    bool wanted = has_target(c) || !isnan(c->deadline);
    if (shards > 0 || !wanted)
        return 0;
    if (isnan(k->L) || isnan(k->c) || isnan(k->sigma2) || isnan(k->gap))
        return err_set(e, ERR_USAGE, "%s is not known: a target needs it (--constants, or --L --c --sigma2 "
                       "--gap), or SHARDs to race on (see dsgd-plan --help)",
                       isnan(k->L) ? "L" : isnan(k->c) ? "c" : isnan(k->sigma2) ? "sigma2" : "gap");
    if (!isnan(c->target_loss) && isnan(k->loss_min))
        return err_set(e, ERR_USAGE, "--target-loss: the least loss F* is not known (--fstar, or a column "
                       "fstar of --constants); or name a --target-gap (see dsgd-plan --help)");
    return 0;
}

static int open_all(struct planning *p, size_t shards, struct err *e)
{
    struct plan_conf *c = p->conf;
    struct outlook *o = &p->outlook;
    /* SPECs first: what nobody knows is wrong whatever else is missing */
    struct prospects known = { 0 };
    int status = prospects_open(&known, &c->policies, 1, 1, e);
    prospects_free(&known);
    if (status < 0 || laws_open(&p->laws, c, e) < 0 || plan_check(c, shards, e) < 0 ||
        open_constants(p, e) < 0 || check_target(p, shards, e) < 0 ||
        prices_open(&p->prices, &c->price, p->laws.workers, e) < 0)
        return -1;
    const struct delays *comm = p->laws.comm.laws > 0 ? &p->laws.comm : NULL;
    *o = (struct outlook){ c, &p->laws.delays, comm, &p->prices, &p->constants, step_of(&c->train), c->target_gap,
                           shards > 0 };
    if (!isnan(c->target_loss))
        o->target = c->target_loss - p->constants.loss_min;
    return prospects_open(&p->prospects, &c->policies, p->laws.workers, PROSPECT_RATIO, e);
}

int plan(struct plan_conf *c, char *const *paths, size_t n, struct err *e)
{
    struct planning p = { .conf = c };
    int status = open_all(&p, n, e);
    if (status == 0)
        status = outlook_times(&p.outlook, &p.prospects, e);
    if (status == 0)
        outlook_errors(&p.outlook, &p.prospects);
    p.raced = n > 0;
    if (status == 0 && p.raced)
        status = race(&p.outlook, &p.prospects, paths, n, e);
    if (status == 0)
        status = answer(&p, e);
    prospects_free(&p.prospects);
    prices_close(&p.prices);
    constants_free(&p.constants);
    laws_close(&p.laws);
    return status;
}
