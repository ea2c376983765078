/* Asynchronous policies with a bound: on steps ahead (Ho 2013), on a gradient's age (Ringmaster 2025). */
#include <string.h>

#include "policy/policy.h"

struct ssp {
    uint64_t ahead;
};

static const struct param ssp_params[] = {
    { "S", set_whole, offsetof(struct ssp, ahead), NULL,
      "steps that a worker may be ahead of the slowest" },
    { 0 },
};

static void ssp(const void *conf, uint64_t workers, struct knobs *k)
{
    (void)workers;
    k->combine = 1;
    k->distinct = true;
    k->ahead = ((const struct ssp *)conf)->ahead;
}

const struct policy_ops policy_ssp = {
    .plug = { .name = "ssp",
              .help = "async, but a worker too far ahead of the slowest waits",
              .params = ssp_params,
              .conf = sizeof(struct ssp) },
    .knobs = ssp,
};

struct bounded {
    uint64_t age;
    const char *mode;
};

static int set_mode(void *target, const char *text, struct err *e)
{
    if (strcmp(text, "stop") != 0 && strcmp(text, "drop") != 0)
        return err_set(e, ERR_USAGE, "stop or drop");
    return set_text(target, text, e);
}

static const struct param bounded_params[] = {
    { "R", set_count, offsetof(struct bounded, age), NULL,
      "staleness from which work is of no use" },
    { "mode", set_mode, offsetof(struct bounded, mode), "stop",
      "stop the work, or drop it on arrival" },
    { 0 },
};

static void bounded(const void *conf, uint64_t workers, struct knobs *k)
{
    const struct bounded *c = conf;
    (void)workers;
    k->combine = 1;
    k->distinct = true;
    k->age = c->age;
    k->drop = strcmp(c->mode, "drop") == 0;
}

const struct policy_ops policy_bounded = {
    .plug = { .name = "bounded",
              .help = "async, but work whose staleness reaches R is stopped or dropped",
              .params = bounded_params,
              .conf = sizeof(struct bounded) },
    .knobs = bounded,
};
