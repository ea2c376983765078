/* The summary of a run, for people: what it did, and where every gradient went. */
#include "run/account.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "policy/policy.h"

enum { COLUMNS = 10 };
static const char *const columns[COLUMNS] = { "worker",       "started", "used",
                                              "cancelled",    "late",    "dropped",
                                              "unfinished",   "rows",    "staleness_mean",
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

static struct account totals(const struct aggregate *a, uint64_t workers, uint64_t *rows)
{
    struct account all = { 0 };
    *rows = 0;
    for (uint64_t r = 0; r < workers; r++) {
        struct account one = policy_account(aggregate_policy(a), r);
        add(&all, &one);
        *rows += aggregate_rows(a, r);
    }
    return all;
}

static void print_table(const struct account_conf *c, const struct aggregate *a, FILE *out)
{
    uint64_t rows;
    struct account all = totals(a, c->workers, &rows);
    print_header(out);
    for (uint64_t r = 0; r < c->workers && (c->workers <= ACCOUNT_ROWS || c->log->level > 0); r++) {
        char name[24];
        struct account one = policy_account(aggregate_policy(a), r);
        snprintf(name, sizeof name, "%ju", (uintmax_t)r);
        print_row(out, name, &one, aggregate_rows(a, r));
    }
    print_row(out, "all", &all, rows);
}

static void print_line(const struct account_conf *c, const struct aggregate *a)
{
    uint64_t rows, updates = aggregate_iteration(a);
    struct account all = totals(a, c->workers, &rows);
    char loss[NUM_TEXT];
    double mean = all.used == 0 ? 0 : (double)all.staleness_sum / (double)all.used;
    double loss_now = aggregate_loss(a);
    snprintf(loss, sizeof loss, isfinite(loss_now) ? "%.6g" : "NA", loss_now);
    log_note(c->log, "%ju updates in %.3f s, %.1f updates/s, mean staleness %.3f, last loss %s",
             (uintmax_t)updates, c->seconds, c->seconds > 0 ? (double)updates / c->seconds : 0.0,
             mean, loss);
}

void account_print(const struct account_conf *c, const struct aggregate *a)
{
    if (a == NULL || c->log->level < 0)
        return;
    print_line(c, a);
    char *table = NULL;
    size_t size;
    FILE *out = open_memstream(&table, &size);
    if (out != NULL) {
        print_table(c, a, out);
        if (fclose(out) == 0)
            log_lines(c->log, table);
        free(table);
    }
    uint64_t thrown = aggregate_thrown(a);
    if (thrown > 0 && thrown != TRACE_NA)
        log_note(c->log, "%ju rows were in minibatches thrown away (cancelled, late or dropped)",
                 (uintmax_t)thrown);
}
