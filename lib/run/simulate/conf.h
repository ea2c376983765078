/* What dsgd-sim is told, and what of it can be wrong. */
#ifndef RUN_SIM_CONF_H
#define RUN_SIM_CONF_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/set.h"
#include "data/dataset.h"
#include "run/crew.h"
#include "run/train.h"

/* Texts are not owned. */
struct sim_conf {
    struct log log;
    struct train_conf train;
    uint64_t workers;        /* P; 0: the number of operands */
    struct text_list delays; /* -d */
    struct spec comm;        /* added to each exchange, of workers whose pool has none; no plug: nothing */
    struct text_list pools;  /* --pool */
    bool no_model;           /* time and staleness alone */
    const char *replay;      /* a trace to execute again, or NULL */
    struct input input;
    const struct opt *opts; /* the program's rows, */
    uint64_t given;         /* and which of them were on the command line */
};

/* Whether the option of that name was on the command line. */
bool sim_given(const void *conf, const char *option);

/* A simulation of rows from n operands: whether it can be, and of how many workers. ERR_USAGE. */
int sim_check(const struct sim_conf *c, size_t n, uint64_t *workers, struct err *e);
/* With --no-model: nothing that is about one, and no operands. */
int sim_check_no_model(const struct sim_conf *c, size_t n, struct err *e);

/* Line 1 of the trace of a simulation; a new reference, or NULL and e. */
json_t *sim_describe(const struct sim_conf *c, uint64_t workers, const struct crew *crew,
                     struct err *e);

#endif
