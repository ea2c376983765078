/* dsgd-ps: hold the parameters, apply the workers' gradients by a policy. */
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "base/num.h"
#include "base/opt.h"
#include "learn/model.h"
#include "learn/optimizer.h"
#include "policy/policy.h"
#include "run/server.h"

enum { FD_MAX = 1 << 20 };

/* A duration that is not 0. */
static int set_span(void *target, const char *text, struct err *e)
{
    double *seconds = target;
    if (num_duration(text, seconds, e) < 0)
        return -1;
    return *seconds > 0 ? 0 : err_set(e, ERR_USAGE, "must be longer than 0");
}

/* Updates, or seconds when a unit of time is behind the number. */
static int set_every(void *target, const char *text, struct err *e)
{
    struct every *every = target;
    struct err ignored = { 0 };
    *every = (struct every){ 0 };
    if (num_whole(text, &every->updates, &ignored) == 0 && every->updates > 0)
        return 0;
    size_t n = strlen(text);
    if (n > 1 && strchr("smh", text[n - 1]) != NULL &&
        set_span(&every->seconds, text, &ignored) == 0)
        return 0;
    return err_set(e, ERR_USAGE, "write a number of updates from 1 (100), or a time (500ms)");
}

static int set_fd(void *target, const char *text, struct err *e)
{
    uint64_t fd;
    if (num_whole(text, &fd, e) < 0)
        return -1;
    if (fd > FD_MAX)
        return err_set(e, ERR_USAGE, "no descriptor has that number");
    *(int *)target = (int)fd;
    return 0;
}

#define AT(member) offsetof(struct server_conf, member)
static const struct opt opts[] = {
    { "model", 'm', "SPEC", NULL, "model, or 'help'", NULL, AT(model), &model_table },
    { "workers", 'P', "N", NULL, "number of workers (that of -x)", set_count, AT(workers), NULL },
    { "listen", 'l', "ADDRESS", NULL, "take workers at unix:PATH or tcp:HOST:PORT; may be repeated",
      set_list, AT(listen), NULL },
    { "exec", 'x', "COMMAND", NULL,
      "start a worker, or with %r in it one for each rank; may be repeated", set_list, AT(commands),
      NULL },
    { "policy", 'p', "SPEC", "sync", "aggregation policy, or 'help'", NULL, AT(policy),
      &policy_table },
    { "step", 'e', "SPEC", "0.1", "step size, or 'help'", step_parse, AT(step), &step_table },
    { "optimizer", 'O', "SPEC", "sgd", "optimizer, or 'help'", NULL, AT(optimizer),
      &optimizer_table },
    { "batch", 'b', "ROWS", "32", "rows of a minibatch", set_count, AT(batch), NULL },
    { "l2", 0, "LAMBDA", "0", "penalty of half LAMBDA times the squared weights", set_nonneg,
      AT(l2), NULL },
    { "no-bias", 0, NULL, NULL, "train without a bias", set_flag, AT(no_bias), NULL },
    { "seed", 's', "SEED", "1", "seed of all random draws", set_whole, AT(seed), NULL },
    { "init", 0, "SPEC", "zero", "start parameters, or 'help'", NULL, AT(init), &init_table },
    { "updates", 'J', "N", NULL, "end after N updates", set_count, AT(updates), NULL },
    { "time", 'T', "TIME", NULL, "end after TIME", set_span, AT(seconds), NULL },
    { "passes", 'E', "N", NULL, "end when every worker has made N passes over its data", set_count,
      AT(passes), NULL },
    { "output", 'o', "FILE", NULL, "write the final model to FILE", set_text, AT(output), NULL },
    { "snapshots", 'S', "EVERY", NULL, "write models to standard output every 100 updates or 500ms",
      set_every, AT(snapshots), NULL },
    { "lossless", 0, NULL, NULL, "wait for a slow reader of snapshots instead of skipping some",
      set_flag, AT(lossless), NULL },
    { "trace", 't', "FILE", NULL, "write every event of the run to FILE", set_text, AT(trace),
      NULL },
    { "join-timeout", 0, "TIME", "60s", "fail when not all workers have joined by then", set_span,
      AT(join_timeout), NULL },
    { "worker-timeout", 0, "TIME", "30s", "a worker that is silent for so long is lost", set_span,
      AT(worker_timeout), NULL },
    { "loss-timeout", 0, "TIME", "30s", "fail when no worker replaces a lost one by then",
      set_duration, AT(loss_timeout), NULL },
    { "drain-timeout", 0, "TIME", "5s", "end workers that have not left by themselves by then",
      set_duration, AT(drain_timeout), NULL },
    { "on-loss", 0, "SPEC", "wait", "when too few workers are left for an update, or 'help'", NULL,
      AT(on_loss), &loss_table },
    { "run", 0, "NAME", NULL, "refuse workers that ask for a run of another name", set_text,
      AT(run), NULL },
    { "insecure", 0, NULL, NULL, "listen beyond this machine, and without a token", set_flag,
      AT(insecure), NULL },
    { "address-file", 0, "FILE", NULL, "write the full address to FILE, mode 0600", set_text,
      AT(address_file), NULL },
    { "ready-fd", 0, "N", NULL, "write the full address to descriptor N once workers can connect",
      set_fd, AT(ready_fd), NULL },
    { 0 },
};

static const struct program self = {
    .name = "dsgd-ps",
    .synopsis = "-m MODEL [-J N | -T TIME | -E N] [OPTION]...",
    .purpose = "Hold the parameters of a model and apply the gradients of workers to them.",
    .opts = opts,
    .log = AT(log),
};

/* As the signal would have ended it, so that make and the shell see it. */
static void die_of(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

int main(int argc, char **argv)
{
    struct server_conf c = { .ready_fd = NO_FD };
    struct err e = { 0 };
    int first, signal = 0, parsed = opt_parse(&self, argc, argv, &c, &first, &e);
    if (parsed == 0 && first < argc)
        err_set(&e, ERR_USAGE, "operand '%s': it takes none (see dsgd-ps --help)", argv[first]);
    else if (parsed == 0)
        server_run(&c, &signal, &e);
    opt_free(&self, &c);
    int status = err_exit(&e, self.name);
    if (signal != 0)
        die_of(signal);
    return status;
}
