/* A run in virtual time: workers whose minibatches take times that are drawn, around the aggregate, the
 * policy and the gradients of a real run.
 *
 * The clock counts whole nanoseconds, so that durations that add up to the same time are a tie; ties go by
 * the worker's number. Gradients are computed when they arrive, on the parameters that their worker read:
 * a minibatch that is broken off costs nothing. */
#ifndef RUN_SIMULATION_H
#define RUN_SIMULATION_H

#include <stdint.h>

#include "base/err.h"
#include "base/plug.h"
#include "base/trace.h"
#include "delay/delays.h"
#include "run/aggregate.h"
#include "run/crew.h"
#include "run/train.h"

/* All of it must outlive the simulation, which changes nothing but the crew's scratch. */
struct simulation_conf {
    const struct train_conf *train; /* the rules, b, seed and ends */
    const struct delays *delays;    /* of all workers: P */
    const struct delays *comm;      /* added to each exchange of a worker; NULL: nothing */
    struct crew *crew;              /* started; NULL: no model, times and staleness alone */
    struct trace_writer *trace;     /* may be unopened */
    void (*updated)(void *self, double now, struct err *e); /* after each update; or NULL */
    void *self;
};

/* Seconds after which the clock can tell no more: 292 years. */
#define SIMULATION_END (0x1p63 * 1e-9)

struct simulation;
/* The aggregate exists; nobody has joined. NULL and e: ERR_USAGE, ERR_SYSTEM. */
struct simulation *simulation_open(const struct simulation_conf *c, struct err *e);
void simulation_close(struct simulation *s);

/* All workers join. 0, or -1 and e. */
int simulation_start(struct simulation *s, struct err *e);

/* The next event; not after the policy has ended. 1; 0: the run's time is over; -1: ERR_NO (loss or
 * parameters not finite, a delay beyond the clock), ERR_USAGE, ERR_SYSTEM, or what `updated` said. */
int simulation_next(struct simulation *s, struct err *e);

/* The end: why, a word for the trace. What everybody had in hand is unfinished, or void. */
void simulation_stop(struct simulation *s, const char *why);

double simulation_now(const struct simulation *s); /* seconds */
struct aggregate *simulation_aggregate(const struct simulation *s);

#endif
