/* What a run in virtual time cost, pool by pool. */
#include "run/simulate/statement.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SECONDS_AN_HOUR 3600.

struct sums {
    uint64_t workers;
    double busy, money, joules; /* busy: seconds */
};

int statement_pools(struct statement *s, const struct text_list *texts, struct err *e)
{
    return pools_open(&s->pools, texts, e);
}

/* Every event that ends a minibatch says what it took. */
static void see(void *self, const struct trace_event *ev)
{
    struct statement *s = self;
    double seconds = ev->compute + ev->delay;
    if (ev->worker < s->pools.workers && !isnan(seconds))
        s->busy[ev->worker] += seconds;
}

/* Money of some pools alone is no statement. */
static int check_part(const struct statement *s, enum pool_part part, const char *key, struct err *e)
{
    const struct pool *with = NULL, *without = NULL;
    for (size_t i = 0; i < s->pools.n; i++) {
        const struct pool *p = &s->pools.v[i];
        with = p->part[part] != NULL ? p : with;
        without = p->part[part] == NULL ? p : without;
    }
    if (with == NULL || without == NULL)
        return 0;
    return err_set(e, ERR_USAGE, "--pool: pool '%s' has %s= and pool '%s' has none: give it to all pools or to none",
                   with->name, key, without->name);
}

int statement_open(struct statement *s, struct trace_writer *t, struct err *e)
{
    struct price_conf c = { 0 };
    if (s->pools.n == 0)
        return 0;
    if (check_part(s, POOL_PRICE, "price", e) < 0 || check_part(s, POOL_WATTS, "watts", e) < 0)
        return -1;
    s->busy = mem_new((size_t)s->pools.workers, sizeof *s->busy, e);
    int status = s->busy == NULL || pools_list(&s->pools, POOL_PRICE, &c.price, e) < 0 ||
                         pools_list(&s->pools, POOL_WATTS, &c.watts, e) < 0
                     ? -1
                     : prices_open(&s->prices, &c, s->pools.workers, e);
    t->see = see;
    t->self = s;
    free(c.price.v);
    free(c.watts.v);
    return status;
}

void statement_close(struct statement *s)
{
    free(s->busy);
    prices_close(&s->prices);
    pools_close(&s->pools);
}

static struct sums sums_of(const struct statement *s, const struct pool *p, double seconds)
{
    struct sums sum = { .workers = p->n };
    for (uint64_t w = p->first; w < p->first + p->n; w++) {
        sum.busy += s->busy[w];
        sum.money += prices_money(&s->prices, w, seconds);
        sum.joules += prices_joules(&s->prices, w, s->busy[w], seconds);
    }
    return sum;
}

static void print_number(double v, int width)
{
    if (isnan(v))
        fprintf(stderr, "  %*s", width, "NA");
    else
        fprintf(stderr, "  %*.6g", width, v);
}

static void print_row(const char *name, const struct sums *s, double seconds)
{
    double hours = seconds / SECONDS_AN_HOUR, there = hours * (double)s->workers;
    fprintf(stderr, "%-12s  %7ju", name, (uintmax_t)s->workers);
    print_number(hours, 11);
    print_number(there, 12);
    print_number(s->busy / SECONDS_AN_HOUR, 11);
    print_number(s->money, 11);
    print_number(s->joules, 11);
    fputc('\n', stderr);
}

void statement_print(const struct statement *s, const struct log *log, double seconds)
{
    struct sums all = { 0 };
    if (s->busy == NULL || log->level < 0)
        return;
    fprintf(stderr, "%-12s  %7s  %11s  %12s  %11s  %11s  %11s\n", "pool", "workers", "hours", "worker_hours",
            "busy_hours", "money", "joules");
    for (size_t i = 0; i < s->pools.n; i++) {
        struct sums one = sums_of(s, &s->pools.v[i], seconds);
        print_row(s->pools.v[i].name, &one, seconds);
        all.workers += one.workers;
        all.busy += one.busy;
        all.money += one.money;
        all.joules += one.joules;
    }
    print_row("all", &all, seconds);
}
