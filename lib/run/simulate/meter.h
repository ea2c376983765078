/* The line on a terminal: how far a simulation is. */
#ifndef RUN_SIMULATE_METER_H
#define RUN_SIMULATE_METER_H

#include <stdbool.h>

#include "base/log.h"
#include "run/aggregate.h"
#include "run/train.h"

struct meter {
    const struct log *log;
    const struct train_conf *conf;
    bool wanted;
    double began, due; /* clock_now() */
};

void meter_start(struct meter *m, const struct train_conf *conf, const struct log *log);
/* Shows it when it is time to; now: seconds of virtual time. */
void meter_look(struct meter *m, const struct aggregate *a, double now);
void meter_stop(struct meter *m);

#endif
