/* What dsgd-plan is told, and what of it can be wrong. */
#include "run/plan/conf.h"

#include <math.h>
#include <string.h>

#include "learn/gradient.h"

bool plan_given(const struct plan_conf *c, const char *option)
{
    for (size_t i = 0; c->opts[i].name != NULL; i++)
        if (strcmp(c->opts[i].name, option) == 0)
            return c->options >> i & 1;
    return false;
}

static bool has_target(const struct plan_conf *c)
{
    return !isnan(c->target_loss) || !isnan(c->target_gap);
}

/* Options that are about the race alone. */
static int check_no_race(const struct plan_conf *c, struct err *e)
{
    static const char *const of_race[] = { "model", "budget", "init", "no-bias", NULL };
    for (const char *const *o = of_race; *o != NULL; o++)
        if (plan_given(c, *o))
            return err_set(e, ERR_USAGE, "--%s: it is about the race, which needs SHARDs (see dsgd-plan "
                           "--help)", *o);
    return 0;
}

int plan_check(const struct plan_conf *c, size_t shards, struct err *e)
{
    if (!isnan(c->target_loss) && !isnan(c->target_gap))
        return err_set(e, ERR_USAGE, "--target-loss and --target-gap: one of them (see dsgd-plan --help)");
    if (c->best && !has_target(c) && isnan(c->deadline))
        return err_set(e, ERR_USAGE, "--best: at what? Name a --target-loss, a --target-gap or a --deadline "
                       "(see dsgd-plan --help)");
    if (c->curve && (c->best || shards > 0))
        return err_set(e, ERR_USAGE, "--curve: it prints bounds, so it goes neither with --best nor with SHARDs (see "
                       "dsgd-plan --help)");
    if (c->statement && (c->best || c->curve))
        return err_set(e, ERR_USAGE, "--statement: it is a table of its own, so it goes neither with --best nor with "
                       "--curve (see dsgd-plan --help)");
    if (!c->best && !c->curve && !has_target(c) && !isnan(c->deadline))
        return err_set(e, ERR_USAGE, "--deadline: it needs a --target-loss or a --target-gap, or --best (see "
                       "dsgd-plan --help)");
    if (shards > 0 && !has_target(c) && isnan(c->deadline))
        return err_set(e, ERR_USAGE, "SHARDs are raced on: that needs a --target-loss, a --target-gap or a "
                       "--deadline (see dsgd-plan --help)");
    if (c->train.model.plug != NULL && gradient_known(&c->train.model, e) < 0)
        return -1;
    return shards == 0 ? check_no_race(c, e) : 0;
}
