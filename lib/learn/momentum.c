/* Momentum (Polyak) and Nesterov's: v = mu v + g; w - rate v, or w - rate (g + mu v). */
#include "learn/moments.h"

struct conf {
    double mu;
};

static int set_mu(void *target, const char *text, struct err *e)
{
    if (set_nonneg(target, text, e) < 0)
        return -1;
    return *(double *)target < 1 ? 0 : err_set(e, ERR_USAGE, "must be less than 1");
}

static const struct param params[] = {
    { "mu", set_mu, offsetof(struct conf, mu), "0.9", "part of the velocity that stays" },
    { 0 },
};

static void *open_one(const void *conf, size_t n, struct err *e)
{
    return moments_open(conf, n, false, e);
}

static double heavy_ball(const struct moments *m, double g, double rate, float *a, float *b)
{
    (void)b;
    const struct conf *c = m->conf;
    *a = (float)(c->mu * *a + g);
    return rate * *a;
}

static double look_ahead(const struct moments *m, double g, double rate, float *a, float *b)
{
    (void)b;
    const struct conf *c = m->conf;
    *a = (float)(c->mu * *a + g);
    return rate * (g + c->mu * *a);
}

static size_t velocity(void *state, struct memory v[static MEMORIES])
{
    v[0] = (struct memory){ "velocity", ((struct moments *)state)->a };
    return 1;
}

static bool momentum(void *state, const struct step_input *in)
{
    return moments_apply(state, in, heavy_ball);
}

static bool nesterov(void *state, const struct step_input *in)
{
    return moments_apply(state, in, look_ahead);
}

extern const struct optimizer_ops optimizer_momentum, optimizer_nesterov;
const struct optimizer_ops optimizer_momentum = {
    .plug = { .name = "momentum",
              .help = "v = mu v + g; w - rate v",
              .params = params,
              .conf = sizeof(struct conf) },
    .open = open_one,
    .apply = momentum,
    .memory = velocity,
    .close = moments_close,
};
const struct optimizer_ops optimizer_nesterov = {
    .plug = { .name = "nesterov",
              .help = "v = mu v + g; w - rate (g + mu v)",
              .params = params,
              .conf = sizeof(struct conf) },
    .open = open_one,
    .apply = nesterov,
    .memory = velocity,
    .close = moments_close,
};
