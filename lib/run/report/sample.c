/* Draws from a law of delays. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "delay/delay.h"
#include "run/report/report.h"

static const char *const columns[] = { "duration", NULL };

/* As of the minibatches of worker 0. */
static int draw(const struct report_conf *c, const struct spec *law, struct err *e)
{
    struct tsv out;
    tsv_open(&out, stdout, c->json, "dsgd-trace-sample/1", columns);
    for (uint64_t i = 0; i < c->count; i++) {
        double seconds = delay_of(law, c->seed, 0, i);
        if (!isfinite(seconds))
            return err_set(e, ERR_NO, "draw %ju of %s is too large for a number", (uintmax_t)i + 1,
                           law->text);
        tsv_real(&out, seconds);
        tsv_end(&out);
    }
    return 0;
}

static int run(const struct report_conf *c, struct err *e)
{
    struct spec law = { 0 };
    if (strcmp(c->operand, "-") == 0)
        return err_set(e, ERR_USAGE, "sample needs the SPEC of a delay (see dsgd-worker(1))");
    if (strcmp(c->operand, "help") == 0) {
        table_print(&delay_table, stdout);
        return 0;
    }
    if (spec_parse(&law, &delay_table, c->operand, e) < 0)
        return err_ctx(e, "delay '%s'", c->operand);
    int status = draw(c, &law, e);
    spec_free(&law);
    return status;
}

static const char *const options[] = { "count", "seed", NULL };

const struct report_ops report_sample = {
    .plug = { .name = "sample", .help = "draws from the delay of a SPEC" },
    .columns = columns,
    .run = run,
    .options = options,
};
