/* AdaSync as a policy: the knobs of a family, and K that follows the loss (THEORY 5). */
#include <string.h>

#include "policy/policy.h"

struct conf {
    struct adapt adapt;
    const struct family *row;
};

/* Whose other knobs are in force. */
struct family {
    const char *name;
    bool distinct, voids;
};
static const struct family families[] = {
    { "k-sync", true, true },
    { "k-batch-sync", false, true },
    { "k-async", true, false },
    { "k-batch-async", false, false },
};

static int set_loss(void *target, const char *text, struct err *e)
{
    bool *full = target;
    *full = strcmp(text, "full") == 0;
    return *full || strcmp(text, "batch") == 0 ? 0 : err_set(e, ERR_USAGE, "batch or full");
}

static const struct param params[] = {
    { "family", set_text, offsetof(struct conf, adapt.family), NULL,
      "k-sync, k-batch-sync, k-async or k-batch-async" },
    { "K0", set_count, offsetof(struct conf, adapt.k0), "1", "K at the start" },
    { "every", set_duration, offsetof(struct conf, adapt.every), "5s",
      "time between looks at the loss" },
    { "Kmax", set_whole, offsetof(struct conf, adapt.k_max), "0",
      "largest K; 0 is the number of workers" },
    { "floor", set_real, offsetof(struct conf, adapt.floor), "0", "loss that no model goes below" },
    { "loss", set_loss, offsetof(struct conf, adapt.full), "batch",
      "batch: of the gradients used since; full: of all rows" },
    { 0 },
};

static int check(void *conf, struct err *e)
{
    struct conf *c = conf;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(families[i].name, c->adapt.family) == 0)
            c->row = &families[i];
    if (c->row == NULL)
        return err_set(e, ERR_USAGE, "family '%s': k-sync, k-batch-sync, k-async or k-batch-async",
                       c->adapt.family);
    if (c->adapt.every <= 0)
        return err_set(e, ERR_USAGE, "every: more than 0 seconds");
    if (c->adapt.k_max > 0 && c->adapt.k_max < c->adapt.k0)
        return err_set(e, ERR_USAGE, "Kmax=%ju is below K0=%ju", (uintmax_t)c->adapt.k_max,
                       (uintmax_t)c->adapt.k0);
    return 0;
}

static void knobs(const void *conf, uint64_t workers, struct knobs *k)
{
    const struct conf *c = conf;
    k->combine = c->adapt.k0;
    k->distinct = c->row->distinct;
    k->voids = c->row->voids;
    k->adapt = &c->adapt;
    (void)workers;
}

const struct policy_ops policy_adasync = {
    .plug = { .name = "adasync",
              .help = "K grows as the loss falls, so that the start is fast and the end exact",
              .params = params,
              .conf = sizeof(struct conf),
              .check = check },
    .knobs = knobs,
};
