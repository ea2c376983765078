/* Which policy is first on the rows themselves: successive halving in simulation. */
#include "run/plan/race.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "run/crew.h"
#include "run/plan/entrants.h"
#include "run/plan/lap.h"
#include "run/simulation.h"

enum { SEEDS = 128 /* of those that come to the end */ };
static const double slack = 3;          /* times the best: who is worse after one seed leaves */
static const double doubt = 1;          /* standard errors that one of the worse half may be behind and stay, */
static const double clear = 2.5;        /* and one of the better half */
static const double unseen = 0.25;      /* part of the best one's time */
static const double patience = 8;       /* times the best: where a lap is left, once the best is known */
static const double first_updates = 16; /* of the fastest policy: how far to look at first */

/* One that races. */
struct runner {
    struct prospect *who;
    double weight; /* of a second: 1, or the watts that it takes */
    double *value; /* (SEEDS): seconds of each lap, at least; without a target losses */
    size_t laps;   /* of whole rounds */
    size_t came;   /* to the target, in all */
    double mean;   /* over laps */
    bool lost;
};

struct racing {
    const struct outlook *o;
    struct log log;
    struct lap_conf lap;
    struct crew crew;
    struct runner *runner; /* (n), in order of how good they are once a round is over */
    size_t n;
    double *values; /* (n, SEEDS), what the runners' lie in */
    bool *stay;     /* (n) */
    double best; /* weighted seconds of the first; INFINITY: nobody was there yet */
    uint64_t gradients, laps;
    bool over; /* the budget is */
    double told;
};

static bool for_target(const struct racing *r)
{
    return !isnan(r->lap.target);
}

/* Who never comes, or too late, is last. */
static double badness(const struct racing *r, const struct runner *a)
{
    if (a->lost || a->laps == 0 || (for_target(r) && (a->came == 0 || a->mean > r->o->conf->deadline)))
        return INFINITY;
    return a->weight * a->mean;
}

static void sort(struct racing *r)
{
    for (size_t i = 1; i < r->n; i++) {
        struct runner one = r->runner[i];
        size_t at = i;
        for (; at > 0 && badness(r, &r->runner[at - 1]) > badness(r, &one); at--)
            r->runner[at] = r->runner[at - 1];
        r->runner[at] = one;
    }
}

static void show(struct racing *r, const struct runner *a)
{
    double now = clock_now();
    if (!progress_wanted(&r->log) || now < r->told)
        return;
    r->told = now + PROGRESS_PAUSE;
    progress_show(&r->log, "race: %zu left, %s; %" PRIu64 " runs, %" PRIu64 " gradients, %.0f s left", r->n,
                  a->who->policy.text, r->laps, r->gradients, fmax(r->lap.stop - now, 0));
}

/* One lap; 1: it counts. Nobody looks before a part of the best one's time, but who is there by then is
 * looked at from the start. */
static int run(struct racing *r, struct runner *a, uint64_t seed, double limit, struct lap *lap,
               struct err *e)
{
    double from = isfinite(r->best) ? r->best / a->weight * unseen : 0;
    show(r, a);
    if (lap_run(lap, &r->lap, &a->who->policy, seed, from, limit, e) < 0 ||
        (lap->reached && lap->early && from > 0 &&
         lap_run(lap, &r->lap, &a->who->policy, seed, 0, limit, e) < 0))
        return err_ctx(e, "%s", a->who->policy.text);
    r->laps++;
    r->gradients += lap->pushed;
    r->over |= lap->stopped;
    a->lost |= lap->lost;
    return !r->over;
}

/* Twice as far each time, until somebody is there. 0: r->best says when, or nobody will be. */
static int look_ahead(struct racing *r, struct err *e)
{
    double horizon = INFINITY, deadline = r->o->conf->deadline;
    struct lap lap;
    for (size_t i = 0; i < r->n; i++)
        horizon = fmin(horizon, first_updates * r->runner[i].who->time.mean);
    for (size_t racing = 1; racing > 0 && isinf(r->best); horizon *= 2) {
        racing = 0;
        double far = isinf(horizon) ? deadline : fmin(horizon, deadline); /* fmin: no NAN */
        for (size_t i = 0; i < r->n && isinf(r->best); i++) {
            struct runner *a = &r->runner[i];
            if (a->lost)
                continue;
            int counts = run(r, a, 0, far, &lap, e);
            if (counts <= 0)
                return counts;
            racing++;
            if (lap.reached)
                r->best = a->weight * lap.seconds;
        }
        if (horizon >= deadline || horizon > SIMULATION_END)
            return 0;
    }
    return 0;
}

static double limit_of(const struct racing *r, const struct runner *a, bool first)
{
    if (!for_target(r))
        return r->o->conf->deadline;
    return (first ? slack : patience) * r->best / a->weight;
}

/* Seeds from .. to - 1 of all that are left. 0: the budget was over before the end. */
static int run_round(struct racing *r, uint64_t from, uint64_t to, struct err *e)
{
    struct lap lap;
    for (uint64_t seed = from; seed < to; seed++)
        for (size_t i = 0; i < r->n; i++) {
            struct runner *a = &r->runner[i];
            if (a->lost)
                continue;
            int counts = run(r, a, seed, limit_of(r, a, from == 0), &lap, e);
            if (counts <= 0)
                return counts;
            a->value[seed] = for_target(r) ? lap.seconds : lap.loss;
            a->came += !a->lost && lap.reached;
            if (from == 0 && lap.reached)
                r->best = fmin(r->best, a->weight * lap.seconds);
        }
    return 1;
}

/* Of a whole round. One that the budget ended does not count, unless it is the first. */
static void settle(struct racing *r, uint64_t seeds)
{
    for (size_t i = 0; i < r->n; i++) {
        struct runner *a = &r->runner[i];
        a->laps = (size_t)seeds;
        a->mean = 0;
        for (size_t k = 0; k < a->laps; k++)
            a->mean += a->value[k] / (double)a->laps;
    }
    sort(r);
    double best = badness(r, &r->runner[0]);
    r->best = isfinite(best) ? best : r->best;
}

/* By how many standard errors of the difference, seed by seed, it is behind the first. */
static double behind(const struct racing *r, const struct runner *a)
{
    const struct runner *first = &r->runner[0];
    double sum = 0, squares = 0, n = (double)a->laps;
    for (size_t k = 0; k < a->laps; k++) {
        double d = a->weight * a->value[k] - first->weight * first->value[k];
        sum += d;
        squares += d * d;
    }
    double variance = (squares - sum * sum / n) / (n - 1);
    return sum <= 0 ? 0 : sum / sqrt(fmax(variance, 0) * n);
}

/* Whether it may still be the best. After one seed it is in the better half and not far behind. */
static bool stays(const struct racing *r, size_t i)
{
    const struct runner *a = &r->runner[i];
    bool worse = i >= (r->n + 1) / 2;
    double bad = badness(r, a);
    if (i == 0 || a->laps == 1)
        return i == 0 || (!worse && (!for_target(r) || bad <= slack * r->best));
    return isfinite(bad) && behind(r, a) <= (worse ? doubt : clear);
}

/* What is known of one that races no more, or came to the end. */
static void conclude(const struct racing *r, const struct runner *a, bool out)
{
    struct prospect *p = a->who;
    double mean = a->laps > 0 ? a->mean : NAN;
    p->runs = a->laps;
    p->out = out;
    p->seconds = !for_target(r) ? NAN : a->lost ? INFINITY : a->came > 0 ? mean : NAN;
    p->loss = for_target(r) ? NAN : mean;
    log_detail(&r->log, "race: %s: %zu runs, %s %g%s", p->policy.text, p->runs,
               for_target(r) ? "seconds" : "loss", mean,
               a->lost ? ", no longer finite" : for_target(r) && a->came < a->laps ? " at least" : "");
}

/* Those who are behind leave. */
static void sift(struct racing *r)
{
    size_t kept = 0, n = r->n;
    bool *stay = r->stay;
    for (size_t i = 0; i < n; i++)
        stay[i] = stays(r, i);
    for (size_t i = 0; i < n; i++)
        if (stay[i])
            r->runner[kept++] = r->runner[i];
        else
            conclude(r, &r->runner[i], true);
    r->n = kept;
}

static int run_all(struct racing *r, struct err *e)
{
    uint64_t seeds = 0;
    int whole = 1;
    if (for_target(r) && look_ahead(r, e) < 0)
        return -1;
    if (for_target(r) && isinf(r->best))
        return 0;
    while (seeds < SEEDS && (r->n > 1 || seeds == 0)) {
        uint64_t more = seeds > 0 ? seeds : 1;
        whole = run_round(r, seeds, seeds + more, e);
        if (whole < 0)
            return -1;
        if (whole == 0 && seeds > 0)
            break;
        seeds += more;
        settle(r, seeds);
        if (whole == 0)
            break;
        sift(r);
    }
    return 0;
}

static void tell(const struct racing *r)
{
    if (r->over)
        log_note(&r->log, "the budget of %g s was over after %" PRIu64 " runs with %" PRIu64 " gradients, "
                 "%zu policies still in the race: --budget gives it more", r->o->conf->budget, r->laps,
                 r->gradients, r->n);
    else
        log_detail(&r->log, "race: %" PRIu64 " runs, %" PRIu64 " gradients", r->laps, r->gradients);
}

static int open_crew(struct racing *r, char *const *paths, size_t n, struct err *e)
{
    const struct plan_conf *c = r->o->conf;
    uint64_t workers = r->o->delays->workers;
    r->crew = (struct crew){ .conf = &c->train, .log = &c->log };
    if (c->train.model.plug == NULL)
        return err_set(e, ERR_USAGE, "-m is missing: the model to race with, or 'help' (see dsgd-plan --help)");
    if (n != 1 && n != workers)
        return err_set(e, ERR_USAGE, "%zu shards for %" PRIu64 " workers (-P): one for all, or one each", n,
                       workers);
    if (crew_read(&r->crew, paths, n, &c->input, e) < 0 || crew_place(&r->crew, workers, e) < 0)
        return -1;
    return crew_start(&r->crew, e);
}

/* The loss to be reached; a gap is one above the least, with the penalty. */
static int set_target(struct racing *r, struct err *e)
{
    const struct plan_conf *c = r->o->conf;
    r->lap.target = c->target_loss;
    r->lap.penalty = !isnan(c->target_gap);
    if (!r->lap.penalty)
        return 0;
    r->lap.target = r->o->constants->fstar + c->target_gap;
    if (isnan(r->lap.target))
        return err_set(e, ERR_USAGE, "--target-gap: the least loss F* is not known (--fstar, or a column "
                       "fstar of --constants); or name a --target-loss (see dsgd-plan --help)");
    return 0;
}

static int open_race(struct racing *r, struct prospects *p, char *const *paths, size_t n, struct err *e)
{
    const struct outlook *o = r->o;
    bool watts = !isnan(o->conf->deadline) && o->prices->watted;
    struct prospect **who = mem_new(p->n, sizeof *who, e);
    r->runner = mem_new(p->n, sizeof *r->runner, e);
    r->stay = mem_new(p->n, sizeof *r->stay, e);
    r->values = mem_new(p->n * SEEDS, sizeof *r->values, e);
    int status = who == NULL || r->runner == NULL || r->stay == NULL || r->values == NULL || open_crew(r, paths, n, e) < 0 || set_target(r, e) < 0 ||
                         entrants(who, &r->n, o, p, e) < 0
                     ? -1
                     : 0;
    for (size_t i = 0; status == 0 && i < r->n; i++)
        r->runner[i] = (struct runner){
            .who = who[i],
            .value = r->values + i * SEEDS,
            .weight = watts && for_target(r) ? who[i]->joules / who[i]->time.mean : 1,
        };
    for (size_t i = 0; status == 0 && i < r->n; i++)
        r->runner[i].value[0] = INFINITY; /* until it has run */
    free(who);
    r->lap = (struct lap_conf){ &o->conf->train, o->delays, o->comm, &r->crew, r->lap.target, r->lap.penalty,
                                clock_now() + o->conf->budget };
    return status;
}

/* Others of the same rule do the same. */
static void share(struct prospects *p, uint64_t workers)
{
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; p->v[i].runs == 0 && j < p->n; j++)
            if (p->v[j].runs > 0 && prospect_same(&p->v[i], &p->v[j], workers)) {
                p->v[i].runs = p->v[j].runs;
                p->v[i].seconds = p->v[j].seconds;
                p->v[i].loss = p->v[j].loss;
            }
}

int race(const struct outlook *o, struct prospects *p, char *const *paths, size_t n, struct err *e)
{
    struct racing r = { .o = o, .log = o->conf->log, .best = INFINITY };
    int status = open_race(&r, p, paths, n, e);
    for (size_t i = 0; status == 0 && i < p->n; i++) {
        p->v[i].out = true;
        p->v[i].seconds = NAN;
    }
    if (status == 0)
        status = run_all(&r, e);
    if (progress_wanted(&r.log))
        progress_wipe();
    for (size_t i = 0; status == 0 && i < r.n; i++)
        conclude(&r, &r.runner[i], false);
    if (status == 0) {
        share(p, o->delays->workers);
        tell(&r);
    }
    free(r.values);
    free(r.stay);
    free(r.runner);
    crew_close(&r.crew);
    return status;
}
