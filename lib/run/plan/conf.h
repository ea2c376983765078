/* What dsgd-plan is told, and what of it can be wrong. */
#ifndef RUN_PLAN_CONF_H
#define RUN_PLAN_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/set.h"
#include "data/dataset.h"
#include "run/plan/constants.h"
#include "run/price.h"
#include "run/train.h"

/* Texts are not owned. */
struct plan_conf {
    struct log log;
    uint64_t workers;          /* P; 0: what -d says of it */
    struct text_list delays;   /* -d: SPECs, a trace, or "-" */
    struct text_list pools;    /* --pool */
    struct text_list policies; /* -p: SPECs, or names: with every K */
    struct train_conf train;   /* b, step and what else makes an update; no policy, no end */
    const char *constants;     /* a file, or NULL */
    struct constants given;    /* on the command line */
    double target_loss, target_gap, deadline; /* NAN: none */
    struct price_conf price;
    uint64_t draws; /* minibatches that a row without a formula is simulated for; 0: none */
    double budget;  /* seconds that the race may take */
    bool best, curve, statement, json;
    struct input input;
    const struct opt *opts; /* the program's rows, */
    uint64_t options;       /* and which of them were on the command line */
};

#define PLAN_CONF_START \
    .given = CONSTANTS_UNKNOWN, .target_loss = NAN, .target_gap = NAN, .deadline = NAN

bool plan_given(const struct plan_conf *c, const char *option);

/* What the options alone tell; shards: how many operands. ERR_USAGE. */
int plan_check(const struct plan_conf *c, size_t shards, struct err *e);

#endif
