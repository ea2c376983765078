/* The line on a terminal: how far a simulation is. */
#include "run/simulate/meter.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/progress.h"

void meter_start(struct meter *m, const struct train_conf *conf, const struct log *log)
{
    double now = clock_now();
    *m = (struct meter){ .log = log, .conf = conf, .wanted = progress_wanted(log), .began = now };
    m->due = now + PROGRESS_PAUSE;
}

/* The part of the run that is done, by the end that comes first. */
static double part(const struct meter *m, double updates, double now)
{
    const struct train_conf *c = m->conf;
    double done = c->updates > 0 ? updates / (double)c->updates : 0;
    return c->seconds > 0 ? fmax(done, now / c->seconds) : done;
}

static void show(const struct meter *m, const struct aggregate *a, double now, double spent)
{
    char of[40] = "", left[40] = "", loss[40] = "";
    double updates = (double)aggregate_iteration(a), value = aggregate_loss(a);
    double done = part(m, updates, now);
    if (m->conf->updates > 0)
        snprintf(of, sizeof of, " of %" PRIu64, m->conf->updates);
    if (done > 0)
        snprintf(left, sizeof left, ", %.0f s left", spent / done - spent);
    if (isfinite(value))
        snprintf(loss, sizeof loss, ", loss %.4g", value);
    progress_show(m->log, "%.0f%s updates, clock %.6g s, %.0f updates/s%s%s", updates, of, now,
                  updates / spent, left, loss);
}

void meter_look(struct meter *m, const struct aggregate *a, double now)
{
    double clock = m->wanted ? clock_now() : 0;
    if (!m->wanted || clock < m->due)
        return;
    m->due = clock + PROGRESS_PAUSE;
    show(m, a, now, clock - m->began);
}

void meter_stop(struct meter *m)
{
    if (m->wanted)
        progress_wipe();
}
