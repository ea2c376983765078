/* dsgd-ps: hold the parameters, apply the workers' gradients by a policy. */
#include <signal.h>
#include <stddef.h>

#include "base/num.h"
#include "base/opt.h"
#include "run/server/server.h"

enum { FD_MAX = 1 << 20 };

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
    TRAIN_OPTS(server_conf, train),
    { "workers", 'P', "N", NULL, "number of workers (that of -x)", set_count, AT(workers), NULL },
    { "listen", 'l', "ADDRESS", NULL, "take workers at unix:PATH, tcp:HOST:PORT or tls:HOST:PORT; may be repeated",
      set_list, AT(listen), NULL },
    { "exec", 'x', "COMMAND", NULL,
      "start a worker, or with %r in it one for each rank; may be repeated", set_list, AT(commands),
      NULL },
    { "loss-command", 0, "COMMAND", NULL,
      "tells the loss of models on stdin, as dsgd-eval does (adasync with loss=full)", set_text,
      AT(loss_command), NULL },
    { "checkpoint", 'C', "FILE", NULL, "write the whole state of the run to FILE, now and then and at its end",
      set_text, AT(checkpoint), NULL },
    { "checkpoint-every", 0, "EVERY", "60s", "write it every 100 updates or 60s", set_every,
      AT(checkpoint_every), NULL },
    { "resume", 0, NULL, NULL, "go on with the run of the checkpoint, if FILE is there", set_flag,
      AT(resume), NULL },
    { "lossless", 0, NULL, NULL, "wait for a slow reader of snapshots instead of skipping some",
      set_flag, AT(lossless), NULL },
    { "join-timeout", 0, "TIME", "60s", "fail when not all workers have joined by then", set_period,
      AT(join_timeout), NULL },
    { "worker-timeout", 0, "TIME", "30s", "a worker that is silent for so long is lost", set_period,
      AT(worker_timeout), NULL },
    { "loss-timeout", 0, "TIME", "30s", "fail when no worker replaces a lost one by then",
      set_duration, AT(loss_timeout), NULL },
    { "drain-timeout", 0, "TIME", "5s", "end workers that have not left by themselves by then",
      set_duration, AT(drain_timeout), NULL },
    { "on-loss", 0, "SPEC", "wait", "when too few workers are left for an update, or 'help'", NULL,
      AT(on_loss), &loss_table },
    { "run", 0, "NAME", NULL, "refuse workers that ask for a run of another name", set_text,
      AT(run), NULL },
    { "insecure", 0, NULL, NULL, "tcp: listens beyond this machine, and without a token", set_flag,
      AT(insecure), NULL },
    SECRETS_OPTS(server_conf, secrets),
    { "make-key", 0, "FILE", NULL, "write a key for --key-file to a new FILE, mode 0600, and end",
      set_text, AT(make_key), NULL },
    { "address-file", 0, "FILE", NULL, "write the full address to FILE, mode 0600", set_text,
      AT(address_file), NULL },
    { "metrics", 0, "ADDRESS", NULL,
      "tell the figures of the run over HTTP at tcp:HOST:PORT or unix:PATH, for Prometheus", set_text,
      AT(metrics), NULL },
    { "metrics-open", 0, NULL, NULL, "--metrics may be beyond this machine: whoever reaches it may read",
      set_flag, AT(metrics_open), NULL },
    { "control", 0, "unix:PATH", NULL, "take orders there, a line each: status, set policy k-sync:6, stop, help ...",
      set_text, AT(control), NULL },
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
    .given = AT(given),
};

/* As the signal would have ended it, so that make and the shell see it. */
static void die_of(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

int main(int argc, char **argv)
{
    struct server_conf c = { .ready_fd = NO_FD, .opts = opts };
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
