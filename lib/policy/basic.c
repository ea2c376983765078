/* The six policies of the paper: K, and what an update does to the others (THEORY 1). */
#include "policy/policy.h"

struct conf {
    uint64_t k; /* gradients combined in an update */
};

static const struct param params[] = {
    { "K", set_count, offsetof(struct conf, k), NULL, "gradients combined in an update" },
    { 0 },
};

static uint64_t k_of(const void *conf)
{
    return ((const struct conf *)conf)->k;
}

static void sync(const void *conf, uint64_t workers, struct knobs *k)
{
    (void)conf;
    k->combine = workers;
    k->distinct = k->voids = true;
}

static void k_sync(const void *conf, uint64_t workers, struct knobs *k)
{
    (void)workers;
    k->combine = k_of(conf);
    k->distinct = k->voids = true;
}

static void k_batch_sync(const void *conf, uint64_t workers, struct knobs *k)
{
    (void)workers;
    k->combine = k_of(conf);
    k->voids = true;
}

static void async(const void *conf, uint64_t workers, struct knobs *k)
{
    (void)conf;
    (void)workers;
    k->combine = 1;
    k->distinct = true;
}

static void k_async(const void *conf, uint64_t workers, struct knobs *k)
{
    (void)workers;
    k->combine = k_of(conf);
    k->distinct = true;
}

static void k_batch_async(const void *conf, uint64_t workers, struct knobs *k)
{
    (void)workers;
    k->combine = k_of(conf);
}

const struct policy_ops policy_sync = {
    .plug = { .name = "sync", .help = "every worker once, then the update; nobody is stale" },
    .knobs = sync,
};

const struct policy_ops policy_k_sync = {
    .plug = { .name = "k-sync",
              .help = "the first K workers, then the update; the others break off and start again",
              .params = params,
              .conf = sizeof(struct conf) },
    .knobs = k_sync,
};

const struct policy_ops policy_k_batch_sync = {
    .plug = { .name = "k-batch-sync",
              .help = "the first K gradients of any workers, who go on; then all start again",
              .params = params,
              .conf = sizeof(struct conf) },
    .knobs = k_batch_sync,
};

const struct policy_ops policy_async = {
    .plug = { .name = "async", .help = "every gradient is an update; nobody waits" },
    .knobs = async,
};

const struct policy_ops policy_k_async = {
    .plug = { .name = "k-async",
              .help = "the first K workers, who wait for the update; the others carry on",
              .params = params,
              .conf = sizeof(struct conf) },
    .knobs = k_async,
};

const struct policy_ops policy_k_batch_async = {
    .plug = { .name = "k-batch-async",
              .help = "the first K gradients of any workers; nobody waits, nothing is broken off",
              .params = params,
              .conf = sizeof(struct conf) },
    .knobs = k_batch_async,
};
