/* dsgd-plan: predict what each policy would do on these workers, and choose. */
#include <math.h>
#include <stddef.h>

#include "base/opt.h"
#include "delay/delay.h"
#include "run/plan/plan.h"
#include "run/pools.h"

#define AT(member) offsetof(struct plan_conf, member)
static const struct opt opts[] = {
    { "workers", 'P', "N", NULL, "number of workers (that of the trace or the fits)", set_count, AT(workers),
      NULL },
    { "delay", 'd', "[RANGE=]SPEC|-|TRACE", NULL,
      "time of a minibatch of all workers, or of those of RANGE (0-3); a table of dsgd-trace fit on standard "
      "input; a trace; or 'help'; may be repeated",
      set_texts, AT(delays), &delay_table },
    { "policy", 'p', "SPEC", NULL,
      "a policy to look at, or its name: with every K; or 'help'; may be repeated", set_texts, AT(policies),
      &policy_table },
    { "constants", 0, "FILE", NULL, "constants of the objective, a table as dsgd-eval makes it",
      set_text, AT(constants), NULL },
    { "L", 0, "X", NULL, "smoothness: the largest curvature", set_positive, AT(given.L), NULL },
    { "c", 0, "X", NULL, "strong convexity: the least curvature", set_nonneg, AT(given.c), NULL },
    { "sigma2", 0, "X", NULL, "variance of the gradient of one row", set_nonneg, AT(given.sigma2), NULL },
    { "gap", 0, "X", NULL, "loss at the start less the least one", set_nonneg, AT(given.gap), NULL },
    { "fstar", 0, "X", NULL, "the least loss", set_real, AT(given.fstar), NULL },
    { "gamma", 0, "X", NULL, "what staleness does to a gradient, relatively", set_nonneg, AT(given.gamma),
      NULL },
    { "p0", 0, "X", NULL, "least chance that a gradient is fresh (by the delays)", set_nonneg, AT(given.p0),
      NULL },
    { "target-loss", 0, "LOSS", NULL, "loss to be reached", set_real, AT(target_loss), NULL },
    { "target-gap", 0, "GAP", NULL, "the same, as a distance from the least loss", set_positive,
      AT(target_gap), NULL },
    { "deadline", 0, "TIME", NULL, "time that may pass until then", set_period, AT(deadline), NULL },
    PRICE_OPTS(plan_conf, price),
    POOL_OPT(plan_conf, pools),
    { "best", 0, NULL, NULL, "print only the best, as options for dsgd-ps", set_flag, AT(best), NULL },
    { "curve", 0, NULL, NULL, "print the bound of each policy over time, for dsgd-trace plot", set_flag, AT(curve),
      NULL },
    { "statement", 0, NULL, NULL, "print hours, money and joules of each policy", set_flag, AT(statement), NULL },
    { "json", 0, NULL, NULL, "print JSON Lines instead of TSV", set_flag, AT(json), NULL },
    { "draws", 0, "N", "50k", "minibatches simulated for a row without a formula; 0: bounds", set_whole,
      AT(draws), NULL },
    { "budget", 0, "TIME", "10s", "time that the race on SHARDs may take", set_period, AT(budget), NULL },
    TRAIN_MODEL_OPT(plan_conf, train),
    TRAIN_RULES_OPTS(plan_conf, train),
    INPUT_OPTS(plan_conf, input),
    { 0 },
};

static const struct program self = {
    .name = "dsgd-plan",
    .synopsis = "-d SPEC [-P N] [OPTION]... [SHARD]...",
    .purpose = "Predict time, staleness, error and cost of each policy, and choose: by formulas and bounds, "
               "or by a race on SHARDs, which are one for each worker, or one for all.",
    .opts = opts,
    .log = AT(log),
    .given = AT(options),
};

int main(int argc, char **argv)
{
    struct plan_conf c = { .opts = opts, PLAN_CONF_START };
    struct err e = { 0 };
    int first;
    if (opt_parse(&self, argc, argv, &c, &first, &e) == 0)
        plan(&c, argv + first, (size_t)(argc - first), &e);
    opt_free(&self, &c);
    return err_exit(&e, self.name);
}
