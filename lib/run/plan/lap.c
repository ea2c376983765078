/* One run of a policy in virtual time, on the rows themselves, until it is as good as it shall be. */
#include "run/plan/lap.h"

#include <math.h>

#include "base/clock.h"
#include "run/simulation.h"

#define SPARSE 1.05 /* updates at a look, to those at the one before */

enum { LOOK_EVERY = 64 /* gradients between two looks at the real clock */ };

/* The last look at the loss. */
struct look {
    double seconds, loss;
    uint64_t next; /* update of the next one */
};

/* Half of lambda times the squares of what is penalised. */
static double penalty(const struct lap_conf *c, const float *w)
{
    const struct layout *layout = &c->crew->shape.layout;
    double sum = 0;
    for (size_t i = 0; i < layout->n; i++)
        for (size_t j = 0; layout->parts[i].penalised && j < layout->parts[i].size; j++)
            sum += (double)w[layout->parts[i].offset + j] * (double)w[layout->parts[i].offset + j];
    return c->train->l2 * sum / 2;
}

static int loss_now(double *loss, const struct lap_conf *c, const struct aggregate *a, struct err *e)
{
    if (crew_loss(c->crew, aggregate_w(a), LAP_ROWS, loss, e) < 0)
        return -1;
    *loss += c->penalty ? penalty(c, aggregate_w(a)) : 0;
    return 0;
}

/* Where the line from the last look to this one crosses the target. */
static double crossing(const struct look *last, double seconds, double loss, double target)
{
    double part = (last->loss - target) / (last->loss - loss);
    return isfinite(last->loss) ? last->seconds + part * (seconds - last->seconds) : seconds;
}

static int look(struct lap *lap, struct look *last, const struct lap_conf *c, struct simulation *s,
                struct err *e)
{
    const struct aggregate *a = simulation_aggregate(s);
    double seconds = simulation_now(s), loss;
    if (loss_now(&loss, c, a, e) < 0)
        return -1;
    lap->loss = loss;
    lap->reached = loss <= c->target;
    lap->early = isnan(last->loss);
    lap->seconds = lap->reached ? crossing(last, seconds, loss, c->target) : seconds;
    uint64_t at = aggregate_iteration(a);
    *last = (struct look){ seconds, loss, (uint64_t)fmax((double)at + 1, ceil((double)at * SPARSE)) };
    return 0;
}

/* A loss that is no number ends the lap, and so does a delay beyond the clock: it never comes there. */
static int lose(struct lap *lap, struct err *e)
{
    if (e->kind != ERR_NO)
        return -1;
    *e = (struct err){ 0 };
    lap->lost = true;
    return 0;
}

static int drive(struct lap *lap, const struct lap_conf *c, struct simulation *s, double from, struct err *e)
{
    const struct aggregate *a = simulation_aggregate(s);
    struct look last = { 0, NAN, 1 };
    int more = 1;
    bool looks = !isnan(c->target);
    if (looks && from <= 0 && look(lap, &last, c, s, e) < 0)
        return -1;
    last.next = 1;
    while (!lap->reached && more > 0) {
        if (lap->pushed++ % LOOK_EVERY == 0 && clock_now() > c->stop) {
            lap->stopped = true;
            return 0;
        }
        more = simulation_next(s, e);
        if (more < 0)
            return lose(lap, e);
        if (more > 0 && looks && aggregate_iteration(a) >= last.next && simulation_now(s) >= from &&
            look(lap, &last, c, s, e) < 0)
            return -1;
    }
    if (!lap->reached)
        lap->seconds = simulation_now(s);
    return looks ? 0 : loss_now(&lap->loss, c, a, e);
}

int lap_run(struct lap *lap, const struct lap_conf *c, const struct spec *policy, uint64_t seed,
            double from, double limit, struct err *e)
{
    struct train_conf rules = *c->train;
    struct trace_writer none = { 0 };
    struct simulation_conf conf = { .train = &rules, .delays = c->delays, .comm = c->comm,
                                    .crew = c->crew, .trace = &none };
    rules.policy = *policy;
    rules.seed += seed;
    rules.seconds = limit;
    *lap = (struct lap){ .loss = NAN };
    crew_reseed(c->crew, rules.seed);
    crew_settle(c->crew);
    struct simulation *s = simulation_open(&conf, e);
    int status = s == NULL || simulation_start(s, e) < 0 ? -1 : drive(lap, c, s, from, e);
    simulation_close(s);
    return status;
}
