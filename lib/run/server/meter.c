/* The line on a terminal: how far a run of the server is. */
#include <math.h>
#include <stdio.h>

#include "base/progress.h"
#include "run/server/state.h"

/* Seconds until the first end that can be foreseen; INFINITY: none can. */
static double time_left(const struct server *s, double now, double updates)
{
    const struct train_conf *c = &s->conf->train;
    double left = c->seconds > 0 ? c->seconds - now : INFINITY;
    if (c->updates > 0 && updates > 0)
        left = fmin(left, now * ((double)c->updates / updates - 1));
    return left;
}

void meter_show(const struct server *s)
{
    char of[40] = "", left[40] = "", loss[40] = "";
    double now = server_now(s), updates = (double)aggregate_iteration(s->aggregate);
    double seconds = time_left(s, now, updates), value = aggregate_loss(s->aggregate);
    if (s->conf->train.updates > 0)
        snprintf(of, sizeof of, " of %ju", (uintmax_t)s->conf->train.updates);
    if (isfinite(seconds))
        snprintf(left, sizeof left, ", %.0f s left", seconds);
    if (isfinite(value))
        snprintf(loss, sizeof loss, ", loss %.4g", value);
    progress_show(s->log, "%.0f%s updates, %.1f updates/s%s%s", updates, of, updates / now, left,
                  loss);
}
