/* The summary of a run, for people: what it did, and where every gradient went. */
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "base/progress.h"
#include "run/server_state.h"

enum { COLUMNS = 10 };
static const char *const columns[COLUMNS] = { "worker", "started", "used", "cancelled", "late",
                                              "dropped", "unfinished", "rows", "staleness_mean",
                                              "staleness_max" };

static void print_mean(FILE *out, int width, const struct account *a)
{
    if (a->used == 0)
        fprintf(out, "  %*s", width, "NA");
    else
        fprintf(out, "  %*.3f", width, (double)a->staleness_sum / (double)a->used);
}

static void print_row(FILE *out, const char *worker, const struct account *a, uint64_t rows)
{
    const uint64_t before[] = { a->started, a->used,       a->cancelled, a->late,
                                a->dropped, a->unfinished, rows };
    fprintf(out, "%-6s", worker);
    for (int i = 0; i < COLUMNS - 3; i++)
        fprintf(out, "  %*ju", i == 6 ? 8 : (int)sizeof "unfinished" - 1, (uintmax_t)before[i]);
    print_mean(out, (int)sizeof "staleness_mean" - 1, a);
    fprintf(out, "  %*ju\n", (int)sizeof "staleness_max" - 1, (uintmax_t)a->staleness_max);
}

static void print_header(FILE *out)
{
    fprintf(out, "%-6s", columns[0]);
    for (int i = 1; i < COLUMNS; i++)
        fprintf(out, "  %*s", i == 7 ? 8 : i < 7 ? (int)sizeof "unfinished" - 1 : 0, columns[i]);
    fputc('\n', out);
}

static void add(struct account *all, const struct account *a)
{
    all->started += a->started;
    all->used += a->used;
    all->cancelled += a->cancelled;
    all->late += a->late;
    all->dropped += a->dropped;
    all->unfinished += a->unfinished;
    all->staleness_sum += a->staleness_sum;
    if (a->staleness_max > all->staleness_max)
        all->staleness_max = a->staleness_max;
}

static void print_table(const struct server *s, FILE *out)
{
    struct account all = { 0 };
    uint64_t rows = 0;
    print_header(out);
    for (uint64_t r = 0; r < s->workers; r++) {
        char name[24];
        struct account a = policy_account(aggregate_policy(s->aggregate), r);
        snprintf(name, sizeof name, "%ju", (uintmax_t)r);
        print_row(out, name, &a, s->places[r].rows_used);
        add(&all, &a);
        rows += s->places[r].rows_used;
    }
    print_row(out, "all", &all, rows);
}

static struct account totals(const struct server *s)
{
    struct account all = { 0 };
    for (uint64_t r = 0; r < s->workers; r++) {
        struct account a = policy_account(aggregate_policy(s->aggregate), r);
        add(&all, &a);
    }
    return all;
}

/* Seconds until the first end that can be foreseen; INFINITY: none can. */
static double time_left(const struct server *s, double now, double updates)
{
    const struct server_conf *c = s->conf;
    double left = c->seconds > 0 ? c->seconds - now : INFINITY;
    if (c->updates > 0 && updates > 0)
        left = fmin(left, now * ((double)c->updates / updates - 1));
    return left;
}

void account_progress(const struct server *s)
{
    char of[40] = "", left[40] = "", loss[40] = "";
    double now = server_now(s), updates = (double)aggregate_iteration(s->aggregate);
    double seconds = time_left(s, now, updates), value = aggregate_loss(s->aggregate);
    if (s->conf->updates > 0)
        snprintf(of, sizeof of, " of %ju", (uintmax_t)s->conf->updates);
    if (isfinite(seconds))
        snprintf(left, sizeof left, ", %.0f s left", seconds);
    if (isfinite(value))
        snprintf(loss, sizeof loss, ", loss %.4g", value);
    progress_show(s->log, "%.0f%s updates, %.1f updates/s%s%s", updates, of, updates / now, left,
                  loss);
}

static void print_line(const struct server *s)
{
    uint64_t updates = aggregate_iteration(s->aggregate);
    struct account all = totals(s);
    char loss[NUM_TEXT];
    double mean = all.used == 0 ? 0 : (double)all.staleness_sum / (double)all.used;
    double loss_now = aggregate_loss(s->aggregate);
    snprintf(loss, sizeof loss, isfinite(loss_now) ? "%.6g" : "NA", loss_now);
    log_note(s->log, "%ju updates in %.3f s, %.1f updates/s, mean staleness %.3f, last loss %s",
             (uintmax_t)updates, s->seconds, s->seconds > 0 ? (double)updates / s->seconds : 0.0,
             mean, loss);
}

static void print_gaps(const struct server *s)
{
    for (size_t i = 0; i < s->n_gaps; i++) {
        const struct gap *g = &s->gaps[i];
        log_note(s->log, "worker %ju (%s): nobody at its place from update %ju to %ju",
                 (uintmax_t)g->rank, g->label, (uintmax_t)g->from, (uintmax_t)g->to);
    }
}

void account_print(const struct server *s)
{
    if (s->aggregate == NULL || s->log->level < 0)
        return;
    if (progress_wanted(s->log))
        progress_wipe();
    print_line(s);
    print_table(s, stderr);
    print_gaps(s);
    uint64_t skipped = s->stream == NULL ? 0 : stream_skipped(s->stream);
    if (skipped > 0)
        log_note(s->log,
                 "%ju snapshots were skipped: their reader was slow (--lossless waits for it)",
                 (uintmax_t)skipped);
}
