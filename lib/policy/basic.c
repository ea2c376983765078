/* The six policies of the paper: K, and what an update does to the others (THEORY 1). */
#include "policy/policy.h"

struct conf {
    uint64_t k; /* gradients combined in an update */
};

static const struct param params[] = {
    { "K", set_count, offsetof(struct conf, k), NULL, "gradients combined in an update" },
    { 0 },
};

static uint64_t all(const void *conf, uint64_t workers)
{
    (void)conf;
    return workers;
}

static uint64_t one(const void *conf, uint64_t workers)
{
    (void)conf;
    (void)workers;
    return 1;
}

static uint64_t some(const void *conf, uint64_t workers)
{
    (void)workers;
    return ((const struct conf *)conf)->k;
}

const struct policy_ops policy_sync = {
    .plug = { .name = "sync", .help = "every worker once, then the update; nobody is stale" },
    .combine = all,
    .distinct = true,
    .voids = true,
};

const struct policy_ops policy_k_sync = {
    .plug = { .name = "k-sync",
              .help = "the first K workers, then the update; the others break off and start again",
              .params = params,
              .conf = sizeof(struct conf) },
    .combine = some,
    .distinct = true,
    .voids = true,
};

const struct policy_ops policy_k_batch_sync = {
    .plug = { .name = "k-batch-sync",
              .help = "the first K gradients of any workers, who go on; then all start again",
              .params = params,
              .conf = sizeof(struct conf) },
    .combine = some,
    .voids = true,
};

const struct policy_ops policy_async = {
    .plug = { .name = "async", .help = "every gradient is an update; nobody waits" },
    .combine = one,
    .distinct = true,
};

const struct policy_ops policy_k_async = {
    .plug = { .name = "k-async",
              .help = "the first K workers, who wait for the update; the others carry on",
              .params = params,
              .conf = sizeof(struct conf) },
    .combine = some,
    .distinct = true,
};

const struct policy_ops policy_k_batch_async = {
    .plug = { .name = "k-batch-async",
              .help = "the first K gradients of any workers; nobody waits, nothing is broken off",
              .params = params,
              .conf = sizeof(struct conf) },
    .combine = some,
};
