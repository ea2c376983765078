/* dsgd-shard: turns a data set into shards. */
#include "base/opt.h"
#include "run/split/inspect.h"
#include "run/split/split.h"

struct conf {
    struct split split;
    bool info, json;
    struct log log;
};

static const struct opt opts[] = {
    { "shards", 'n', "N", "1", "number of shards", set_count, offsetof(struct conf, split.shards),
      NULL },
    { "output", 'o', "PATTERN", "shard-%d",
      "names of the shards, %d counts from 0; '-' is one stream", set_text,
      offsetof(struct conf, split.pattern), NULL },
    INPUT_OPTS(conf, split.input),
    { "features", 0, "D", NULL, "make rows D features wide", set_count,
      offsetof(struct conf, split.features), NULL },
    { "split", 0, "SPEC", "shuffle", "which rows go together, or 'help'", NULL,
      offsetof(struct conf, split.how), &split_table },
    { "scale", 0, "SPEC", NULL, "bring features to a common size, or 'help'", NULL,
      offsetof(struct conf, split.scale), &scaling_table },
    { "balance", 0, NULL, NULL, "weigh rows so that every class counts alike", set_flag,
      offsetof(struct conf, split.balance), NULL },
    { "like", 0, "SHARD", NULL, "read, scale and number classes and features as for SHARD", set_text,
      offsetof(struct conf, split.like), NULL },
    { "hold-out", 0, "PART", NULL, "put this part of the rows (0.2) into a file of their own", set_part,
      offsetof(struct conf, split.hold_out), NULL },
    { "hold-out-file", 0, "FILE", NULL, "that file, a shard", set_text,
      offsetof(struct conf, split.hold_out_file), NULL },
    { "seed", 's', "SEED", "1", "seed of the shuffle", set_whole, offsetof(struct conf, split.seed),
      NULL },
    { "memory", 0, "BYTES", "1Gi", "keep no more rows in memory; others go to temporary files", set_count,
      offsetof(struct conf, split.memory), NULL },
    { "info", 0, NULL, NULL, "check shards and print a row for each", set_flag,
      offsetof(struct conf, info), NULL },
    { "json", 0, NULL, NULL, "--info: print JSON Lines instead of TSV", set_flag, offsetof(struct conf, json),
      NULL },
    { 0 },
};

static const struct program self = {
    .name = "dsgd-shard",
    .synopsis = "[OPTION]... [FILE]...",
    .purpose = "Turns a data set into shards for dsgd-worker.",
    .opts = opts,
    .log = offsetof(struct conf, log),
};

static void run(struct conf *c, char **files, size_t n, struct err *e)
{
    c->split.log = &c->log;
    if (c->info)
        inspect(files, n, stdout, c->json, e);
    else if (c->json)
        err_set(e, ERR_USAGE, "--json goes with --info (see %s --help)", self.name);
    else
        split_run(&c->split, files, n, e);
}

int main(int argc, char **argv)
{
    struct conf c = { 0 };
    struct err e = { 0 };
    int first;
    if (opt_parse(&self, argc, argv, &c, &first, &e) == 0)
        run(&c, argv + first, (size_t)(argc - first), &e);
    opt_free(&self, &c);
    return err_exit(&e, self.name);
}
