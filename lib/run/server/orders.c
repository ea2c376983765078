/* What can be ordered of a run (--control): a table of words, and what each does. */
#include "run/server/orders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "run/server/save.h"

#define SCHEMA "dsgd-control/1"

/* rest: what stands behind the words. */
struct order {
    const char *words, *rest, *help;
    bool running; /* only while the run goes on */
    bool later;   /* its answer follows, as control_saved */
    json_t *(*carry_out)(struct server *s, const char *rest);
};

static json_t *done(void)
{
    return json_pack("{s:s, s:b}", "schema", SCHEMA, "ok", 1);
}

json_t *order_refused(const struct err *e)
{
    return json_pack("{s:s, s:b, s:s}", "schema", SCHEMA, "ok", 0, "error", e->text);
}

json_t *order_saved(uint64_t updates)
{
    json_t *answer = done();
    json_object_set_new(answer, "checkpoint", json_integer((json_int_t)updates));
    return answer;
}

/* Misuse is the asker's; all else ends the run. */
static json_t *outcome(struct server *s, int rc, const struct err *e)
{
    if (rc < 0 && e->kind != ERR_USAGE)
        server_end(s, "failed", e);
    return rc < 0 ? order_refused(e) : done();
}

static json_t *number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static const char *phase(const struct server *s)
{
    static const char *const names[] = { [PHASE_GATHER] = "gather", [PHASE_RUN] = "run", [PHASE_DRAIN] = "drain" };
    return s->paused ? "paused" : names[s->phase];
}

static json_t *status(struct server *s, const char *rest)
{
    const struct train_conf *c = &s->conf->train;
    const struct aggregate *a = s->aggregate;
    uint64_t saved = save_done(s), k = a == NULL ? 0 : policy_combine(aggregate_policy(a));
    (void)rest;
    return json_pack("{s:s, s:b, s:s, s:o, s:I, s:o, s:s, s:s, s:o, s:I, s:I, s:o}", "schema", SCHEMA, "ok", 1,
                     "phase", phase(s), "time", number(s->phase == PHASE_RUN ? server_now(s) : s->seconds), "updates",
                        (json_int_t)(a == NULL ? 0 : aggregate_iteration(a)), "loss",
                        number(a == NULL ? NAN : aggregate_loss(a)), "policy", c->policy.text, "step", c->step.text,
                        "K", k == 0 ? json_null() : json_integer((json_int_t)k), "workers", (json_int_t)s->workers,
                        "connected", (json_int_t)roster_ready(s), "checkpoint",
                        saved == NO_PLACE ? json_null() : json_integer((json_int_t)saved));
}

static json_t *worker(const struct server *s, uint64_t r)
{
    static const struct account none = { 0 };
    struct account a = s->aggregate == NULL ? none : policy_account(aggregate_policy(s->aggregate), r);
    return json_pack("{s:I, s:s, s:b, s:I, s:I, s:I, s:I, s:I}", "rank", (json_int_t)r, "name", s->places[r].label,
                     "connected", s->places[r].peer != NULL, "started", (json_int_t)a.started, "used",
                     (json_int_t)a.used, "cancelled", (json_int_t)a.cancelled, "late", (json_int_t)a.late, "dropped",
                     (json_int_t)a.dropped);
}

static json_t *workers(struct server *s, const char *rest)
{
    json_t *answer = done(), *all = json_array();
    (void)rest;
    for (uint64_t r = 0; r < s->workers; r++)
        json_array_append_new(all, worker(s, r));
    json_object_set_new(answer, "workers", all);
    return answer;
}

/* Gradients that wait cannot become such that were added, nor the other way: they make an update first. */
static int combine_first(struct server *s, const struct spec *policy, struct err *e)
{
    struct knobs to = { 0 };
    const struct policy *p = aggregate_policy(s->aggregate);
    ((const struct policy_ops *)policy->plug)->knobs(policy->conf, s->workers, &to);
    if (to.distinct == policy_knobs(p)->distinct || policy_combined(p) == 0)
        return 0;
    return aggregate_combine(s->aggregate, server_now(s), e);
}

/* K may be no more now than what has come. */
static int combine_last(struct server *s, struct err *e)
{
    const struct policy *p = aggregate_policy(s->aggregate);
    if (s->phase != PHASE_RUN || policy_combined(p) == 0 || policy_combined(p) < policy_combine(p))
        return 0;
    return aggregate_combine(s->aggregate, server_now(s), e);
}

static int check_policy(const struct server *s, const struct train_conf *to, struct err *e)
{
    const struct adapt *ad = train_adapt(to);
    if (ad != NULL && ad->full && s->judge == NULL)
        return err_set(e, ERR_USAGE, "policy '%s': loss=full needs --loss-command from the start", to->policy.text);
    return train_check_policy(to, s->workers, e);
}

static int set_policy(struct server *s, struct spec *policy, struct err *e)
{
    struct train_conf to = { .policy = *policy };
    struct policy_run run = { .workers = s->workers };
    struct adasync was = s->rule;
    int rc = check_policy(s, &to, e);
    s->rule = (struct adasync){ 0 };
    if (rc == 0)
        rc = train_rule(&to, NULL, &s->rule, &run, e);
    if (rc == 0)
        rc = combine_first(s, policy, e);
    if (rc < 0) {
        adasync_close(&s->rule);
        s->rule = was;
        spec_free(policy);
        return -1;
    }
    rc = told_policy(&s->told, &s->conf->train, s->aggregate, server_now(s), policy, &run, e);
    adasync_close(&was);
    return rc < 0 ? -1 : combine_last(s, e);
}

static json_t *set(struct server *s, const char *rest)
{
    struct spec policy, step;
    struct err e = { 0 };
    int rc = told_parse(rest, &policy, &step, &e);
    if (rc == 0 && policy.plug != NULL)
        rc = set_policy(s, &policy, &e);
    else if (rc == 0)
        rc = told_step(&s->told, &s->conf->train, s->aggregate, server_now(s), &step, &e);
    else
        e.kind = ERR_USAGE;
    return outcome(s, rc, &e);
}

static json_t *checkpoint(struct server *s, const char *rest)
{
    struct err e = { 0 };
    (void)rest;
    return save_now(s, &e) < 0 ? order_refused(&e) : NULL;
}

static json_t *pause_run(struct server *s, const char *rest)
{
    struct err e = { 0 };
    (void)rest;
    if (s->paused)
        return outcome(s, err_set(&e, ERR_USAGE, "the run is paused already"), &e);
    server_pause(s);
    return done();
}

static json_t *resume(struct server *s, const char *rest)
{
    struct err e = { 0 };
    (void)rest;
    if (!s->paused)
        return outcome(s, err_set(&e, ERR_USAGE, "the run is not paused"), &e);
    server_go_on(s);
    return done();
}

static json_t *drain(struct server *s, const char *rest)
{
    struct err e = { 0 };
    uint64_t r;
    if (num_whole(rest, &r, &e) < 0 || r >= s->workers)
        return outcome(s, err_set(&e, ERR_USAGE, "'%.20s': a rank from 0 to %ju", rest, (uintmax_t)s->workers - 1), &e);
    return outcome(s, aggregate_drain(s->aggregate, server_now(s), r, &e), &e);
}

static json_t *stop(struct server *s, const char *rest)
{
    struct err e = { 0 };
    (void)rest;
    if (s->phase == PHASE_GATHER)
        err_set(&e, ERR_NO, "stopped by --control before the start");
    server_end(s, "control", e.kind == ERR_OK ? NULL : &e);
    return done();
}

static json_t *help(struct server *s, const char *rest);

static const struct order orders[] = {
    { "help", "", "this list", false, false, help },
    { "status", "", "how far the run is, and by which rules", false, false, status },
    { "workers", "", "each of them, and what became of its minibatches", false, false, workers },
    { "set", " policy SPEC | step SPEC", "other rules from now on", true, false, set },
    { "checkpoint", "", "write one now; the answer comes when it is on disk", true, true, checkpoint },
    { "pause", "", "take no gradients; the clock stands still", true, false, pause_run },
    { "resume", "", "take them again", true, false, resume },
    { "drain", " RANK", "let the worker go when it has pushed what it has in hand", true, false, drain },
    { "stop", "", "end the run as if it had come to its end", false, false, stop },
    { 0 },
};

static json_t *help(struct server *s, const char *rest)
{
    json_t *answer = done(), *all = json_object();
    (void)s, (void)rest;
    for (const struct order *o = orders; o->words != NULL; o++) {
        char text[40];
        snprintf(text, sizeof text, "%s%s", o->words, o->rest);
        json_object_set_new(all, text, json_string(o->help));
    }
    json_object_set_new(answer, "orders", all);
    return answer;
}

/* What stands behind the words, or NULL. */
static const char *behind(const char *line, const struct order *o)
{
    size_t n = strlen(o->words);
    if (strncmp(line, o->words, n) != 0 || (line[n] != '\0' && line[n] != ' '))
        return NULL;
    line += n;
    line += strspn(line, " ");
    return (*line != '\0') == (o->rest[0] != '\0') ? line : NULL;
}

/* The row of an order, or the last one, which is empty. */
static const struct order *find(const char *line, const char **rest)
{
    const struct order *o = orders;
    while (o->words != NULL && (*rest = behind(line, o)) == NULL)
        o++;
    return o;
}

bool order_waits(const struct server *s, const char *line)
{
    const char *rest;
    return find(line, &rest)->later && s->phase == PHASE_RUN;
}

json_t *order_answer(struct server *s, const char *line)
{
    struct err e = { 0 };
    const char *rest = NULL;
    const struct order *o = find(line, &rest);
    if (o->words == NULL)
        err_set(&e, ERR_USAGE, "'%.60s' is no order; 'help' lists them", line);
    else if (s->phase == PHASE_DRAIN && o->carry_out == stop)
        err_set(&e, ERR_USAGE, "the run is over");
    else if (o->running && s->phase != PHASE_RUN)
        err_set(&e, ERR_USAGE, "%s: the run %s", o->words, s->phase == PHASE_GATHER ? "has not begun" : "is over");
    if (e.kind != ERR_OK)
        return order_refused(&e);
    if (o->running || o->carry_out == stop)
        log_note(s->log, "--control: %s", line);
    return o->carry_out(s, rest);
}
