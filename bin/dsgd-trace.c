/* dsgd-trace: what the trace of a run tells. */
#include <string.h>

#include "base/opt.h"
#include "run/report.h"

struct conf {
    struct log log;
    struct spec verb;
    bool json;
};

static const struct opt opts[] = {
    { "json", 0, NULL, NULL, "print JSON Lines instead of TSV", set_flag, offsetof(struct conf, json), NULL },
    { 0 },
};

static const struct program self = {
    .name = "dsgd-trace",
    .synopsis = "[OPTION]... VERB [FILE]",
    .purpose = "Say what the trace FILE (default: -, stdin) of a run tells; VERB is one that "
               "'dsgd-trace help' lists.",
    .opts = opts,
    .log = offsetof(struct conf, log),
};

static int run(struct conf *c, int n, char **operands, struct err *e)
{
    if (n == 0)
        return err_set(e, ERR_USAGE, "VERB is missing (see %s --help)", self.name);
    if (n > 2)
        return err_set(e, ERR_USAGE, "'%s': one FILE at a time (see %s --help)", operands[2], self.name);
    if (strcmp(operands[0], "help") == 0) {
        table_print(&report_table, stdout);
        return 0;
    }
    if (spec_parse(&c->verb, &report_table, operands[0], e) < 0)
        return -1;
    const char *path = n == 2 ? operands[1] : "-";
    return report_run(&(struct report_conf){ &c->verb, path, c->json, &c->log }, e);
}

int main(int argc, char **argv)
{
    struct conf c = { 0 };
    struct err e = { 0 };
    int first;
    if (opt_parse(&self, argc, argv, &c, &first, &e) == 0)
        run(&c, argc - first, argv + first, &e);
    spec_free(&c.verb);
    opt_free(&self, &c);
    return err_exit(&e, self.name);
}
