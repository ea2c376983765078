/* What a run trains, by which rules, until when: the rules that server and simulator share. */
#include "run/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "run/minibatch.h"

int set_every(void *target, const char *text, struct err *e)
{
    struct every *every = target;
    struct err ignored = { 0 };
    *every = (struct every){ 0 };
    if (num_whole(text, &every->updates, &ignored) == 0 && every->updates > 0)
        return 0;
    size_t n = strlen(text);
    if (n > 1 && strchr("smh", text[n - 1]) != NULL &&
        set_period(&every->seconds, text, &ignored) == 0)
        return 0;
    return err_set(e, ERR_USAGE, "write a number of updates from 1 (100), or a time (500ms)");
}

int train_check(const struct train_conf *c, const char *program, struct err *e)
{
    if (c->model.plug == NULL)
        return err_set(e, ERR_USAGE, "-m is missing: the model, or 'help' (see %s --help)",
                       program);
    if (c->updates == 0 && c->seconds == 0 && c->passes == 0)
        return err_set(
            e, ERR_USAGE,
            "an end is missing: updates (-J), a time (-T) or passes (-E) (see %s --help)", program);
    return 0;
}

int train_check_policy(const struct train_conf *c, uint64_t workers, struct err *e)
{
    struct policy_run run = { .workers = workers };
    struct policy *p = policy_open(&c->policy, &run, e);
    policy_close(p);
    return p == NULL ? err_ctx(e, "policy '%s'", c->policy.text) : 0;
}

uint64_t train_budget(const struct train_conf *c, uint64_t rows)
{
    struct minibatch m = { .rows = rows, .size = c->batch };
    return c->passes == 0 ? UINT64_MAX : c->passes * minibatch_pass(&m);
}

const char *train_why(const struct train_conf *c, uint64_t updates)
{
    return c->updates > 0 && updates >= c->updates ? "updates" : "passes";
}

bool train_wants_snapshots(const struct train_conf *c)
{
    return c->snapshots.updates > 0 || c->snapshots.seconds > 0;
}

bool train_wants_stdout(const struct train_conf *c)
{
    return train_wants_snapshots(c) || c->output == NULL;
}

bool train_due(const struct train_conf *c, uint64_t iteration, double now, double *next)
{
    const struct every *every = &c->snapshots;
    if (!train_wants_snapshots(c))
        return false;
    bool due = every->updates > 0 ? iteration % every->updates == 0 : now >= *next;
    if (!due && iteration > 0)
        return false;
    if (every->seconds > 0)
        *next = (floor(now / every->seconds) + 1) * every->seconds;
    return true;
}

const struct adapt *train_adapt(const struct train_conf *c)
{
    struct knobs k = { 0 };
    ((const struct policy_ops *)c->policy.plug)->knobs(c->policy.conf, 1, &k);
    return k.adapt;
}

static uint64_t choose(void *self, const struct adapt *ad, uint64_t workers, double ratio)
{
    (void)ad, (void)workers;
    return adasync_choose(self, ratio);
}

int train_rule(const struct train_conf *c, const struct delays *d, struct adasync *rule,
               struct policy_run *run, struct err *e)
{
    const struct adapt *ad = train_adapt(c);
    if (ad == NULL)
        return 0;
    run->choose = choose;
    run->self = rule;
    return adasync_open(rule, ad->family, ad->k0, ad->k_max, run->workers, d, e);
}

struct aggregate *train_open(const struct train_conf *c, const struct layout *layout,
                             const struct policy_run *run, const float *w, bool keep_read,
                             struct trace_writer *trace, const struct aggregate_calls *calls,
                             void *self, struct err *e)
{
    struct aggregate *a = NULL;
    struct aggregate_conf conf = {
        .policy = &c->policy,
        .optimizer = &c->optimizer,
        .step = &c->step,
        .layout = layout,
        .batch = c->batch,
        .l1 = c->l1,
        .l2 = c->l2,
        .clip = c->clip,
        .correct = &c->correct,
        .keep_read = keep_read,
        .run = *run,
    };
    conf.run.updates = c->updates;
    if (w != NULL)
        return aggregate_open(&conf, w, trace, calls, self, e);
    float *start = mem_new(layout->size, sizeof *start, e);
    if (start != NULL && init_fill(&c->init, layout, c->seed, start, e) == 0)
        a = aggregate_open(&conf, start, trace, calls, self, e);
    free(start);
    return a;
}
