/* Pictures of what the programs write. */
#include "run/report/plot.h"

#include "run/report/report.h"

static int run(const struct report_conf *c, struct err *e)
{
    return plot(&c->plot, &c->log, c->operands, c->count_operands, e);
}

static const char *const options[] = { "output", "show", "ascii", NULL };

const struct report_ops report_plot = {
    .plug = { .name = "plot", .help = "a picture of curves, of a trace, of delays and their fits, of a plan" },
    .run = run,
    .options = options,
    .many = true,
};
