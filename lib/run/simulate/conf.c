/* What dsgd-sim is told, and what of it can be wrong. */
#include "run/simulate/conf.h"

#include <inttypes.h>
#include <string.h>

#include "learn/gradient.h"

bool sim_given(const void *conf, const char *option)
{
    const struct sim_conf *c = conf;
    return opt_given(c->opts, c->given, option);
}

int sim_check_no_model(const struct sim_conf *c, size_t n, struct err *e)
{
    static const char *const meaningless[] = { "model",     "passes", "output",
                                               "snapshots", "init",   NULL };
    if (n > 0)
        return err_set(e, ERR_USAGE, "--no-model: it takes no shards (see dsgd-sim --help)");
    for (const char *const *o = meaningless; *o != NULL; o++)
        if (sim_given(c, *o))
            return err_set(e, ERR_USAGE,
                           "--%s: there is no model with --no-model (see dsgd-sim --help)", *o);
    return 0;
}

static int check_workers(const struct sim_conf *c, size_t n, uint64_t *workers, struct err *e)
{
    *workers = c->workers != 0 ? c->workers : n;
    if (*workers == 0)
        return err_set(e, ERR_USAGE, "-P is missing: the number of workers (see dsgd-sim --help)");
    if (c->no_model || n == 1 || n == *workers)
        return 0;
    if (n == 0)
        return err_set(
            e, ERR_USAGE,
            "no shard was named: one for all workers, or one each (see dsgd-sim --help)");
    return err_set(e, ERR_USAGE,
                   "%zu shards for %" PRIu64 " workers (-P): one for all, or one each", n,
                   *workers);
}

static int check_ends(const struct sim_conf *c, struct err *e)
{
    if (!c->no_model)
        return train_check(&c->train, "dsgd-sim", e);
    if (c->train.updates == 0 && c->train.seconds == 0)
        return err_set(e, ERR_USAGE,
                       "an end is missing: updates (-J) or a time (-T) (see dsgd-sim --help)");
    return 0;
}

int sim_check(const struct sim_conf *c, size_t n, uint64_t *workers, struct err *e)
{
    if (c->no_model && sim_check_no_model(c, n, e) < 0)
        return -1;
    if (!c->no_model && c->train.model.plug != NULL && !gradient_idle(&c->train.model) &&
        gradient_known(&c->train.model, e) < 0)
        return err_ctx(e, "--no-model simulates times and staleness");
    if (check_ends(c, e) < 0)
        return -1;
    if (c->delays.n == 0 && c->comm.plug == NULL)
        return err_set(e, ERR_USAGE,
                       "-d is missing: the time of a minibatch (see dsgd-sim --help)");
    if (check_workers(c, n, workers, e) < 0)
        return -1;
    if (c->no_model && train_adapt(&c->train) != NULL)
        return err_set(e, ERR_USAGE, "policy '%s' follows the loss: it needs a model", c->train.policy.text);
    return train_check_policy(&c->train, *workers, e);
}

static json_t *texts(const struct text_list *list)
{
    json_t *all = json_array();
    for (size_t i = 0; i < list->n; i++)
        json_array_append_new(all, json_string(list->v[i]));
    return all;
}

json_t *sim_describe(const struct sim_conf *c, uint64_t workers, const struct crew *crew,
                     struct err *e)
{
    json_t *rules = train_describe(&c->train, e);
    json_t *all = json_pack("{s:s, s:s, s:s, s:I, s:s, s:o, s:s*, s:o*}", "program", "dsgd-sim",
                            "version", PACKAGE_VERSION, "run", "", "P", (json_int_t)workers,
                            "on_loss", "wait", "delay", texts(&c->delays), "comm", c->comm.text,
                            "pools", c->pools.n > 0 ? texts(&c->pools) : NULL);
    if (rules != NULL && (all == NULL || json_object_update(all, rules) < 0))
        err_memory(e);
    json_decref(rules);
    if (e->kind == ERR_OK && (c->no_model || crew_describe(crew, all, e) == 0))
        return all;
    json_decref(all);
    return NULL;
}
