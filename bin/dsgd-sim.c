/* dsgd-sim: the same server, policies and gradients in virtual time, or a recorded run again. */
#include <stddef.h>

#include "base/opt.h"
#include "delay/delay.h"
#include "run/pools.h"
#include "run/simulate/replay.h"
#include "run/simulate/simulate.h"

static const struct opt opts[] = {
    TRAIN_OPTS(sim_conf, train),
    { "workers", 'P', "N", NULL, "number of workers (that of SHARDs)", set_count,
      offsetof(struct sim_conf, workers), NULL },
    { "delay", 'd', "[RANGE=]SPEC", NULL,
      "time of a minibatch of all workers, or of those of RANGE (0-3), or 'help'; may be repeated",
      set_list, offsetof(struct sim_conf, delays), &delay_table },
    { "comm", 0, "SPEC", NULL, "time added to each exchange with the server, or 'help'", NULL,
      offsetof(struct sim_conf, comm), &delay_table },
    POOL_OPT(sim_conf, pools),
    { "no-model", 0, NULL, NULL, "simulate times and staleness alone", set_flag,
      offsetof(struct sim_conf, no_model), NULL },
    { "replay", 0, "TRACE", NULL, "execute a recorded run again, to the same bits", set_text,
      offsetof(struct sim_conf, replay), NULL },
    INPUT_OPTS(sim_conf, input),
    { 0 },
};

static const struct program self = {
    .name = "dsgd-sim",
    .synopsis = "-m MODEL -d SPEC [-J N | -T TIME | -E N] [OPTION]... SHARD...",
    .purpose =
        "Run dsgd-ps and its workers in virtual time: SHARDs are one for each worker, or one "
        "for all.",
    .opts = opts,
    .log = offsetof(struct sim_conf, log),
    .given = offsetof(struct sim_conf, given),
};

int main(int argc, char **argv)
{
    struct sim_conf c = { .opts = opts };
    struct err e = { 0 };
    int first, parsed = opt_parse(&self, argc, argv, &c, &first, &e);
    char *const *paths = argv + first;
    size_t n = (size_t)(argc - first);
    if (parsed == 0 && c.replay != NULL)
        replay(&c, paths, n, &e);
    else if (parsed == 0)
        simulate(&c, paths, n, &e);
    opt_free(&self, &c);
    return err_exit(&e, self.name);
}
