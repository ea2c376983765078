/* dsgd-worker: computes minibatch gradients on its shards for a parameter server. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/opt.h"
#include "delay/delay.h"
#include "run/worker/rank.h"
#include "run/worker/worker.h"

struct conf {
    struct worker_conf worker;
    const char *rank;
    uint64_t rank_base;
};

static const struct opt opts[] = {
    { "connect", 'c', "ADDRESS|@FILE", NULL, "server: unix:PATH, tcp:HOST:PORT, tls:HOST:PORT, or a file that names it",
      set_text, offsetof(struct conf, worker.connect), NULL },
    { "connect-timeout", 0, "DURATION", "30s", "how long to try to connect", set_duration,
      offsetof(struct conf, worker.connect_timeout), NULL },
    { "delay", 'd', "SPEC", NULL, "delay added to each computation, or 'help'", NULL,
      offsetof(struct conf, worker.delay), &delay_table },
    { "external", 0, "COMMAND", NULL, "program that computes the gradients", set_text,
      offsetof(struct conf, worker.external.command), NULL },
    { "external-cancel", 0, "HOW", "wait",
      "how it learns that a minibatch is void: wait, record, or a signal's name", set_cancel,
      offsetof(struct conf, worker.external.cancel), NULL },
    { "external-restarts", 0, "N", "3", "how often in a row it is started again when it dies", set_whole,
      offsetof(struct conf, worker.external.restarts), NULL },
    { "external-rows", 0, "N", NULL, "rows of data that it has itself, in place of shards", set_count,
      offsetof(struct conf, worker.external.rows), NULL },
    { "external-timeout", 0, "DURATION", "10m", "how long it may take for an answer", set_period,
      offsetof(struct conf, worker.external.timeout), NULL },
    { "rank", 'r', "RANK", NULL, "number of this worker, from 0", set_text,
      offsetof(struct conf, rank), NULL },
    { "rank-base", 0, "N", "0", "what a scheduler's ranks start at", set_whole,
      offsetof(struct conf, rank_base), NULL },
    { "run", 0, "NAME", NULL, "name of the run; a server of another one refuses", set_text,
      offsetof(struct conf, worker.run), NULL },
    SECRETS_OPTS(conf, worker.secrets),
    INPUT_OPTS(conf, worker.input),
    { 0 },
};

static const struct program self = {
    .name = "dsgd-worker",
    .synopsis = "[OPTION]... [SHARD]...",
    .purpose = "Compute minibatch gradients on shards for dsgd-ps.",
    .opts = opts,
    .log = offsetof(struct conf, worker.log),
};

static char **operands(char **argv, size_t n, int64_t rank, struct err *e)
{
    char **paths = mem_new(n + 1, sizeof *paths, e);
    for (size_t i = 0; paths != NULL && i < n && e->kind == ERR_OK; i++)
        paths[i] = rank_operand(argv[i], rank, e);
    return paths;
}

static void run(struct conf *c, char **argv, size_t n, struct err *e)
{
    char **paths = NULL;
    if (rank_find(&c->worker.rank, c->rank, c->rank_base, e) == 0)
        paths = operands(argv, n, c->worker.rank, e);
    if (c->worker.connect == NULL)
        c->worker.connect = getenv("DSGD_PS");
    if (e->kind == ERR_OK)
        worker_run(&c->worker, paths, n, e);
    for (size_t i = 0; paths != NULL && i < n; i++)
        free(paths[i]);
    free(paths);
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
