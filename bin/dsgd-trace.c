/* dsgd-trace: what the trace of a run tells. */
#include "run/report/report.h"

static const struct opt opts[] = {
    { "json", 0, NULL, NULL, "print JSON Lines instead of TSV", set_flag,
      offsetof(struct report_conf, json), NULL },
    { "by", 0, "worker", NULL, "fit: workers that are alike together, each such group apart", set_text,
      offsetof(struct report_conf, by), NULL },
    { "count", 'n', "N", "1", "sample: number of draws", set_whole, offsetof(struct report_conf, count), NULL },
    { "seed", 's', "SEED", "1", "sample: seed of the draws", set_whole, offsetof(struct report_conf, seed),
      NULL },
    IMPORT_OPTS(report_conf, import),
    PRICE_OPTS(report_conf, price),
    PLOT_OPTS(report_conf, plot),
    { 0 },
};

static const struct program self = {
    .name = "dsgd-trace",
    .synopsis = "[OPTION]... VERB [FILE]...",
    .purpose = "Say what the trace FILE (default: -, stdin) of a run tells; VERB is one that "
               "'dsgd-trace help' lists.",
    .opts = opts,
    .log = offsetof(struct report_conf, log),
    .given = offsetof(struct report_conf, given),
};

int main(int argc, char **argv)
{
    struct report_conf c = { .opts = opts };
    struct err e = { 0 };
    int first;
    if (opt_parse(&self, argc, argv, &c, &first, &e) == 0)
        report_run(&c, argv + first, (size_t)(argc - first), &e);
    opt_free(&self, &c);
    return err_exit(&e, self.name);
}
