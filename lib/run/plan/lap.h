/* One run of a policy in virtual time, on the rows themselves, until it is as good as it shall be. */
#ifndef RUN_LAP_H
#define RUN_LAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/plug.h"
#include "delay/delays.h"
#include "run/crew.h"
#include "run/train.h"

/* Of all laps of a race. */
struct lap_conf {
    const struct train_conf *train; /* the rules, seed of the first lap; no policy, no end */
    const struct delays *delays, *comm; /* comm: NULL where exchanges take no time */
    struct crew *crew; /* started */
    double target;     /* loss; NAN: none, only the loss at the end counts */
    bool penalty;      /* the target is of the loss with the penalty */
    double stop;       /* clock_now() at which nothing is computed any more */
};

struct lap {
    bool reached;    /* the target, after `seconds` of virtual time */
    bool lost;       /* loss or parameters are no longer finite: it never will */
    bool stopped;    /* the real time was over: of no use */
    bool early;      /* it was there at the first look: maybe long before */
    double seconds;  /* else where it was left */
    double loss;     /* of the parameters at the end; NAN: not looked at */
    uint64_t pushed; /* gradients computed */
};

/* Seed number `seed` (0: the first), from `from` on looked at, for at most `limit` seconds of virtual time.
 * The loss is that of the rows, of LAP_ROWS evenly chosen ones of more, looked at after updates 1, 2, ... and then after each
 * twentieth more, at no cost in virtual time; in between it is taken to fall evenly. */
enum { LAP_ROWS = 2048 };
int lap_run(struct lap *lap, const struct lap_conf *c, const struct spec *policy, uint64_t seed,
            double from, double limit, struct err *e);

#endif
