/* What a recorded run was, by line 1 of its trace, against what is here and what the options say. */
#include "run/simulate/replay_conf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "learn/gradient.h"

/* The times are those of the trace. */
static int check_options(const struct sim_conf *c, struct err *e)
{
    static const char *const meaningless[] = { "delay", "comm", "pool", NULL };
    for (const char *const *o = meaningless; *o != NULL; o++)
        if (sim_given(c, *o))
            return err_set(e, ERR_USAGE,
                           "--%s: a replay has the times of its trace (see dsgd-sim --help)", *o);
    return 0;
}

static int take_workers(struct sim_conf *c, const json_t *meta, struct err *e)
{
    json_int_t p = json_integer_value(json_object_get(meta, "P"));
    if (p <= 0)
        return err_set(e, ERR_DATA, "\"P\": must be a number of workers");
    if (c->workers != 0 && c->workers != (uint64_t)p)
        return err_set(e, ERR_DATA,
                       "--workers: P here is %" PRIu64
                       ", the run was recorded with %" JSON_INTEGER_FORMAT,
                       c->workers, p);
    c->workers = (uint64_t)p;
    return 0;
}

static bool outside(const char *kernel)
{
    return kernel != NULL && strcmp(kernel, "external") == 0;
}

/* Bits depend on what computes. told: one text, or one a worker. */
static int check_same(const json_t *meta, const char *key, const char *here, struct err *e)
{
    const json_t *told = json_object_get(meta, key);
    size_t n = json_is_array(told) ? json_array_size(told) : 1;
    for (size_t i = 0; told != NULL && i < n; i++) {
        const char *text = json_string_value(json_is_array(told) ? json_array_get(told, i) : told);
        if (outside(text))
            return err_set(e, ERR_DATA, "gradients of this run came from a program (dsgd-worker --external): give "
                           "--no-model to replay times and staleness alone");
        if (text == NULL || strcmp(text, here) != 0)
            return err_set(e, ERR_DATA, "the run was computed with %s '%s', here is '%s'", key,
                           text == NULL ? "" : text, here);
    }
    return 0;
}

static int check_computed(const json_t *meta, struct err *e)
{
    if (check_same(meta, "kernel", gradient_kernel(), e) < 0)
        return -1;
    return check_same(meta, "blas", gradient_blas(), e);
}

static int take_model(struct sim_conf *c, const json_t *meta, size_t n, struct err *e)
{
    if (json_is_null(json_object_get(meta, "model")))
        c->no_model = true;
    if (c->no_model)
        return sim_check_no_model(c, n, e);
    if (c->train.model.plug == NULL)
        return err_set(e, ERR_DATA,
                       "\"model\" is missing: give --no-model to replay times and staleness alone");
    if (n == 0)
        return err_set(e, ERR_USAGE,
                       "no shard was named: those that the workers had (see dsgd-sim --help)");
    return check_computed(meta, e);
}

int replay_conf(struct sim_conf *c, const json_t *meta, size_t n, struct err *e)
{
    if (check_options(c, e) < 0 || take_workers(c, meta, e) < 0 ||
        train_recall(&c->train, meta, sim_given, c, e) < 0 || take_model(c, meta, n, e) < 0)
        return -1;
    return train_check_policy(&c->train, c->workers, e);
}

enum policy_loss replay_loss(const json_t *meta)
{
    const char *text = json_string_value(json_object_get(meta, "on_loss"));
    return text != NULL && strcmp(text, "shrink") == 0 ? POLICY_SHRINK : POLICY_KEEP;
}
