/* What a run costs: the price of an hour and the watts of every worker. */
#include "run/price.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/ranges.h"

#define SECONDS_AN_HOUR 3600.

/* One option: what its values are called, and how one becomes numbers. */
struct kind {
    const char *option, *noun;
    int (*read)(struct price *p, const char *text, struct err *e);
    void (*put)(struct price *to, const struct price *from);
};

static int read_money(struct price *p, const char *text, struct err *e)
{
    return set_nonneg(&p->hour, text, e);
}

static void put_money(struct price *to, const struct price *from)
{
    to->hour = from->hour;
}

static int read_watts(struct price *p, const char *text, struct err *e)
{
    char busy[64];
    size_t n = strcspn(text, ",");
    if (n >= sizeof busy)
        return err_set(e, ERR_USAGE, "not a number of fewer than %zu characters", sizeof busy);
    snprintf(busy, sizeof busy, "%.*s", (int)n, text);
    p->idle = 0;
    if (set_nonneg(&p->busy, busy, e) < 0)
        return -1;
    return text[n] == '\0' ? 0 : set_nonneg(&p->idle, text + n + 1, e);
}

static void put_watts(struct price *to, const struct price *from)
{
    to->busy = from->busy;
    to->idle = from->idle;
}

static const struct kind money = { "price", "price", read_money, put_money };
static const struct kind watts = { "watts", "power", read_watts, put_watts };

static void spread(struct prices *p, const struct kind *k, const struct ranges *r,
                   const struct price *values)
{
    for (size_t i = 0; i < r->n; i++)
        for (uint64_t w = r->v[i].first; w <= r->v[i].last; w++)
            k->put(&p->of[w], &values[r->v[i].of]);
}

static int read_list(struct prices *p, const struct kind *k, const struct text_list *texts, struct err *e)
{
    struct ranges r = { .workers = p->workers, .noun = k->noun, .rest = RANGES_NONE };
    struct price *values = mem_new(texts->n, sizeof *values, e);
    int status = values ? 0 : -1;
    for (size_t i = 0; i < texts->n && status == 0; i++) {
        const char *text = ranges_take(&r, texts->v[i], i, e);
        if (text == NULL || k->read(&values[i], text, e) < 0)
            status = err_ctx(e, "--%s '%s'", k->option, texts->v[i]);
    }
    if (status == 0 && ranges_settle(&r, e) < 0)
        status = err_ctx(e, "--%s", k->option);
    if (status == 0)
        spread(p, k, &r, values);
    ranges_free(&r);
    free(values);
    return status;
}

int prices_open(struct prices *p, const struct price_conf *c, uint64_t workers, struct err *e)
{
    *p = (struct prices){ .workers = workers, .priced = c->price.n > 0, .watted = c->watts.n > 0 };
    p->of = mem_new(workers, sizeof *p->of, e);
    if (p->of != NULL &&
        (workers == 0 || !p->priced || read_list(p, &money, &c->price, e) == 0) &&
        (workers == 0 || !p->watted || read_list(p, &watts, &c->watts, e) == 0))
        return 0;
    prices_close(p);
    return -1;
}

void prices_close(struct prices *p)
{
    free(p->of);
    *p = (struct prices){ 0 };
}

double prices_money(const struct prices *p, uint64_t worker, double seconds)
{
    return p->priced ? p->of[worker].hour * seconds / SECONDS_AN_HOUR : NAN;
}

double prices_joules(const struct prices *p, uint64_t worker, double busy, double seconds)
{
    const struct price *of = &p->of[worker];
    return p->watted ? of->busy * busy + of->idle * (seconds - busy) : NAN;
}
