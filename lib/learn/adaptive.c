/* Steps of each parameter's own: AdaGrad (Duchi et al., 2011) and Adam (Kingma and Ba, 2015). */
#include "learn/moments.h"

struct adagrad {
    double epsilon;
};

static const struct param adagrad_params[] = {
    { "epsilon", set_positive, offsetof(struct adagrad, epsilon), "1e-8", "added to the root" },
    { 0 },
};

static void *open_one(const void *conf, size_t n, struct err *e)
{
    return moments_open(conf, n, false, e);
}

static double by_sum(const struct moments *m, double g, double rate, float *a, float *b)
{
    (void)b;
    const struct adagrad *c = m->conf;
    *a = (float)(*a + g * g);
    return rate * g / (sqrt(*a) + c->epsilon);
}

static bool adagrad(void *state, const struct step_input *in)
{
    return moments_apply(state, in, by_sum);
}

static size_t squares(void *state, struct memory v[static MEMORIES])
{
    v[0] = (struct memory){ "squares", ((struct moments *)state)->a };
    return 1;
}

struct adam {
    double beta1, beta2, epsilon;
};

static int set_beta(void *target, const char *text, struct err *e)
{
    if (set_nonneg(target, text, e) < 0)
        return -1;
    return *(double *)target < 1 ? 0 : err_set(e, ERR_USAGE, "must be less than 1");
}

static const struct param adam_params[] = {
    { "beta1", set_beta, offsetof(struct adam, beta1), "0.9",
      "part of the mean gradient that stays" },
    { "beta2", set_beta, offsetof(struct adam, beta2), "0.999",
      "part of the mean square that stays" },
    { "epsilon", set_positive, offsetof(struct adam, epsilon), "1e-8", "added to the root" },
    { 0 },
};

static void *open_two(const void *conf, size_t n, struct err *e)
{
    return moments_open(conf, n, true, e);
}

static double by_means(const struct moments *m, double g, double rate, float *a, float *b)
{
    const struct adam *c = m->conf;
    *a = (float)(c->beta1 * *a + (1 - c->beta1) * g);
    *b = (float)(c->beta2 * *b + (1 - c->beta2) * g * g);
    double mean = *a / m->known[0], square = *b / m->known[1];
    return rate * mean / (sqrt(square) + c->epsilon);
}

static bool adam(void *state, const struct step_input *in)
{
    struct moments *m = state;
    const struct adam *c = m->conf;
    m->known[0] = 1 - pow(c->beta1, (double)(in->iteration + 1));
    m->known[1] = 1 - pow(c->beta2, (double)(in->iteration + 1));
    return moments_apply(state, in, by_means);
}

static size_t means(void *state, struct memory v[static MEMORIES])
{
    struct moments *m = state;
    v[0] = (struct memory){ "mean", m->a };
    v[1] = (struct memory){ "square", m->b };
    return 2;
}

extern const struct optimizer_ops optimizer_adagrad, optimizer_adam;
const struct optimizer_ops optimizer_adagrad = {
    .plug = { .name = "adagrad",
              .help = "w - rate g / root of the sum of g^2",
              .params = adagrad_params,
              .conf = sizeof(struct adagrad) },
    .open = open_one,
    .apply = adagrad,
    .memory = squares,
    .close = moments_close,
};
const struct optimizer_ops optimizer_adam = {
    .plug = { .name = "adam",
              .help = "w - rate m / root of v, both means with bias taken out",
              .params = adam_params,
              .conf = sizeof(struct adam) },
    .open = open_two,
    .apply = adam,
    .memory = means,
    .close = moments_close,
};
