/* Steps that make up for staleness: one weight a gradient, below the base step. */
#include "learn/optimizer.h"

struct conf {
    double rate, c;
};

static double rate(const void *conf, uint64_t iteration)
{
    (void)iteration;
    return ((const struct conf *)conf)->rate;
}

/* The paper's eq. 13, eta = min{C / ||w_j - w_tau||^2, eta_max}, as a part of eta_max; a gradient that is
 * fresh has no distance and weighs 1, one whose distance is no number weighs nothing (THEORY 9.10). */
static double by_distance(const void *conf, const struct stale *s)
{
    const struct conf *c = conf;
    if (s->distance * c->rate <= c->c)
        return 1;
    double w = c->c / s->distance / c->rate;
    return w >= 0 && w <= 1 ? w : 0;
}

static double by_count(const void *conf, const struct stale *s)
{
    (void)conf;
    return 1 / (1 + (double)s->staleness);
}

/* Mishchenko et al. 2022: eta P / max(P, s). */
static double by_delay(const void *conf, const struct stale *s)
{
    (void)conf;
    return s->staleness > s->workers ? (double)s->workers / (double)s->staleness : 1;
}

static const struct param norm_params[] = {
    { "C", set_positive, offsetof(struct conf, c), NULL, "bound of step times squared distance" },
    { "max", set_positive, offsetof(struct conf, rate), NULL, "largest step" },
    { 0 },
};
static const struct param rate_params[] = {
    { "rate", set_positive, offsetof(struct conf, rate), NULL, "the step of a fresh gradient" },
    { 0 },
};

extern const struct step_ops step_norm, step_count, step_delay;
const struct step_ops step_norm = {
    .plug = { .name = "staleness-norm",
              .help = "min(C / squared distance moved since the read, max), a gradient",
              .params = norm_params,
              .conf = sizeof(struct conf) },
    .base = rate,
    .weight = by_distance,
    .distance = true,
};
const struct step_ops step_count = {
    .plug = { .name = "staleness-inverse",
              .help = "rate / (1 + staleness), a gradient",
              .params = rate_params,
              .conf = sizeof(struct conf) },
    .base = rate,
    .weight = by_count,
};
const struct step_ops step_delay = {
    .plug = { .name = "delay-adaptive",
              .help = "rate P / max(P, staleness), a gradient",
              .params = rate_params,
              .conf = sizeof(struct conf) },
    .base = rate,
    .weight = by_delay,
};
