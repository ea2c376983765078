/* The parameter server: gathers the workers of a run, trains with them, ends in order. */
#ifndef RUN_SERVER_H
#define RUN_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "base/plug.h"
#include "base/set.h"
#include "net/guard.h"
#include "run/train.h"

enum { NO_FD = -1 };

/* What dsgd-ps is told. Texts are not owned. */
struct server_conf {
    struct log log;
    struct train_conf train;
    struct spec on_loss;
    uint64_t workers; /* P; 0: the number of commands */
    struct text_list listen, commands;
    const char *loss_command; /* or NULL */
    const char *checkpoint;   /* file, or NULL */
    struct every checkpoint_every;
    bool resume; /* from that file, if it is there */
    bool lossless;
    const char *run;                                                  /* name, or NULL */
    double join_timeout, worker_timeout, loss_timeout, drain_timeout; /* seconds */
    bool insecure;
    struct secrets secrets; /* for tls: addresses */
    const char *address_file;
    const char *control; /* address, or NULL */
    const char *metrics; /* address, or NULL */
    bool metrics_open;   /* it may be beyond this machine */
    int ready_fd;         /* or NO_FD */
    const char *make_key; /* only write a key there; or NULL */
    const struct opt *opts; /* the program's rows, */
    uint64_t given;         /* and which of them were on the command line */
};

extern const struct table loss_table; /* --on-loss */

/* The whole life of a run. With `resume` what conf does not say becomes that of the checkpoint. *signal becomes the signal that ended it (SIGINT, SIGTERM, SIGPIPE: its
 * stdout closed), of which the process is to die, or stays 0. */
int server_run(struct server_conf *conf, int *signal, struct err *e);

#endif
