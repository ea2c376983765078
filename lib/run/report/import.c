/* Somebody else's log, as a trace. */
#include "run/report/report.h"

static int run(const struct report_conf *c, struct err *e)
{
    return import_run(&c->import, c->operand, &c->log, e);
}

static const char *const options[] = { "worker", "duration", "start", "end", "step", "event", "unit", NULL };

const struct report_ops report_import = {
    .plug = { .name = "import", .help = "a text with named columns, a log of Slurm or SWF, or trace events, as a trace" },
    .run = run,
    .options = options,
};
