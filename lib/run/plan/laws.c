/* Which delays the plan is for, and of how many workers. */
#include "run/plan/laws.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/trace.h"
#include "delay/alike.h"
#include "delay/fit.h"
#include "run/cells.h"

#define DOUBTFUL 0.05 /* chance of a fit under which it is said to be none */

/* One more text, owned from here on; NULL: memory has run out. */
static int add(struct laws *l, char *text, struct err *e)
{
    if (text == NULL)
        return -1;
    if (mem_grow(&l->owned, &l->cap, l->n + 1, sizeof *l->owned, e) < 0) {
        free(text);
        return -1;
    }
    l->owned[l->n++] = text;
    return set_list(&l->texts, text, e);
}

/* The last worker of "0-3,7". */
static int last_of(const char *range, uint64_t *last, struct err *e)
{
    const char *at = range + strlen(range);
    while (at > range && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return num_whole(at, last, e);
}

static int add_fit(struct laws *l, const char *spec, const char *workers, struct err *e)
{
    uint64_t last;
    if (workers == NULL)
        return add(l, mem_text(spec, e), e);
    if (last_of(workers, &last, e) < 0)
        return err_ctx(e, "workers '%s'", workers);
    l->workers = last >= l->workers ? last + 1 : l->workers;
    return add(l, mem_print(e, "%s=%s", workers, spec), e);
}

/* Whether the law added last is of these workers: "0-3=exp:1" of "0-3", any of NULL. */
static bool has_law(const struct laws *l, const char *workers)
{
    size_t n = workers != NULL ? strlen(workers) : 0;
    const char *last = l->n > 0 ? l->owned[l->n - 1] : NULL;
    return last != NULL && (workers == NULL || (strncmp(last, workers, n) == 0 && last[n] == '='));
}

/* Rows are the best first, group by group. */
static int take_rows(struct laws *l, struct cells *t, struct err *e)
{
    int more;
    while ((more = cells_next(t, e)) > 0) {
        const char *spec = cells_text(t, "spec"), *workers = cells_text(t, "workers");
        if (spec == NULL || has_law(l, workers))
            continue;
        if (add_fit(l, spec, workers, e) < 0)
            return e->kind == ERR_SYSTEM ? -1 : (e->kind = ERR_DATA, cells_blame(t, e));
    }
    if (more == 0 && l->n == 0)
        return err_set(e, ERR_DATA, "%s: no row with a spec: a table of dsgd-trace fit has that column",
                       t->source.name);
    return more;
}

static int from_table(struct laws *l, const struct log *log, struct err *e)
{
    struct cells t = { 0 };
    int status = cells_open(&t, "-", e);
    if (status == 0)
        status = take_rows(l, &t, e);
    for (size_t i = 0; status == 0 && i < l->n; i++)
        log_note(log, "delays by the fit: %s", l->owned[i]);
    cells_close(&t);
    return status;
}

/* A fit that the durations speak against is said to be one; where all workers are alike, the durations
 * themselves serve. */
static int settle(struct laws *l, struct fit *best, struct group *g, size_t groups, const char *path,
                  const struct log *log, struct err *e)
{
    if (best->law.plug == NULL)
        return err_set(e, ERR_DATA, "%s: no law fits: %s", path, best->why.text);
    if (fit_chance(best, &g->d, e) < 0)
        return -1;
    char *range = groups > 1 ? alike_range(g, e) : NULL;
    bool doubtful = best->p < DOUBTFUL;
    if (groups > 1 && range == NULL)
        return -1;
    const char *who = range ? range : "all workers";
    if (doubtful)
        log_note(log, "%s: %s: even the best fit, %s, is no law of these durations (p=%g)%s", path, who,
                 best->law.text, best->p, groups > 1 ? "" : "; they are taken as they are (empirical)");
    else
        log_note(log, "%s: %s: delays by the best fit, %s (p=%g)", path, who, best->law.text, best->p);
    char *text = doubtful && groups == 1 ? mem_print(e, "empirical:%s", path)
                 : range                 ? mem_print(e, "%s=%s", range, best->law.text)
                                         : mem_text(best->law.text, e);
    free(range);
    return add(l, text, e);
}

static int fit_group(struct laws *l, struct group *g, size_t groups, const char *path,
                     const struct log *log, struct err *e)
{
    struct durations sorted = { 0 };
    struct fits f = { 0 };
    int status = 0;
    for (size_t i = 0; i < g->d.n && status == 0; i++)
        status = durations_add(&sorted, &g->d.v[i], e);
    if (status == 0)
        status = fits_open(&f, &sorted, e);
    if (status == 0)
        status = settle(l, &f.v[0], g, groups, path, log, e);
    fits_free(&f);
    durations_free(&sorted);
    return status;
}

/* Of a trace, P is in line 1. */
static int count_workers(struct laws *l, const char *path, struct err *e)
{
    struct trace_reader t = { 0 };
    struct err none = { 0 };
    (void)e;
    if (trace_start(&t, path, &none) == 0) {
        json_int_t p = json_integer_value(json_object_get(t.meta, "P"));
        l->workers = p > 0 ? (uint64_t)p : 0;
    }
    trace_end(&t);
    return 0;
}

static bool have_workers(const struct durations *d)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->v[i].worker == UINT64_MAX)
            return false;
    return true;
}

static int from_durations(struct laws *l, struct durations *d, const char *path,
                          const struct log *log, struct err *e)
{
    struct alike a = { 0 };
    struct group all = { .d = *d };
    if (!have_workers(d))
        return fit_group(l, &all, 1, path, log, e);
    int status = alike_open(&a, d, e);
    for (size_t i = 0; i < a.n && status == 0; i++)
        status = fit_group(l, &a.v[i], a.n, path, log, e);
    alike_free(&a);
    return status;
}

static int from_file(struct laws *l, const char *path, const struct log *log, struct err *e)
{
    struct durations d = { 0 };
    int status = durations_read(&d, path, e);
    if (status == 0)
        status = count_workers(l, path, e);
    if (status == 0)
        status = from_durations(l, &d, path, log, e);
    durations_free(&d);
    return status;
}

/* Whether text is a SPEC of the table, or RANGE=SPEC; else e says what it would have to be. */
static bool is_spec(const char *text, struct err *e)
{
    size_t range = strspn(text, "0123456789,-");
    struct spec s = { 0 };
    const char *spec = range > 0 && text[range] == '=' ? text + range + 1 : text;
    int status = spec_parse(&s, &delay_table, spec, e);
    spec_free(&s);
    return status == 0;
}

/* A name of a law stands for it, also where there is a file of that name. */
static int take(struct laws *l, const struct plan_conf *c, struct err *e)
{
    const struct text_list *given = &c->delays;
    struct err why = { 0 };
    for (size_t i = 0; i < given->n; i++) {
        const char *text = given->v[i];
        if (is_spec(text, &why)) {
            if (set_list(&l->texts, text, e) < 0)
                return -1;
            continue;
        }
        bool standard = strcmp(text, "-") == 0;
        if (!standard && access(text, F_OK) != 0)
            return err_set(e, why.kind, "--delay '%s': %s%s (see dsgd-plan --help)", text, why.text,
                           strchr(text, ':') ? "" : "; nor is there a trace of that name");
        if (given->n > 1)
            return err_set(e, ERR_USAGE, "--delay '%s': a trace or a table of fits stands alone (see "
                           "dsgd-plan --help)", text);
        return standard ? from_table(l, &c->log, e) : from_file(l, text, &c->log, e);
    }
    return 0;
}

/* Pools are delays, prices and powers of ranges of workers. */
static int take_pools(struct laws *l, struct plan_conf *c, struct text_list *comm, struct err *e)
{
    if (pools_open(&l->pools, &c->pools, e) < 0 || pools_count(&l->pools, &c->workers, e) < 0 ||
        pools_list(&l->pools, POOL_DELAY, &c->delays, e) < 0 ||
        pools_list(&l->pools, POOL_PRICE, &c->price.price, e) < 0 ||
        pools_list(&l->pools, POOL_WATTS, &c->price.watts, e) < 0 ||
        pools_list(&l->pools, POOL_COMM, comm, e) < 0)
        return -1;
    return comm->n > 0 ? set_list(comm, "const:0", e) : 0;
}

static int open_delays(struct laws *l, const struct plan_conf *c, const struct text_list *comm, struct err *e)
{
    if (c->delays.n == 0)
        return err_set(e, ERR_USAGE, "-d is missing: the time of a minibatch, a trace, or - for a table "
                       "of dsgd-trace fit (see dsgd-plan --help)");
    if (take(l, c, e) < 0)
        return -1;
    if (c->workers != 0)
        l->workers = c->workers;
    if (l->workers == 0)
        return err_set(e, ERR_USAGE, "-P is missing: the number of workers (see dsgd-plan --help)");
    if (delays_open(&l->delays, &l->texts, l->workers, e) < 0)
        return -1;
    return comm->n == 0 || delays_open(&l->comm, comm, l->workers, e) == 0 ? 0 : err_ctx(e, "comm");
}

int laws_open(struct laws *l, struct plan_conf *c, struct err *e)
{
    struct text_list comm = { 0 };
    int status = take_pools(l, c, &comm, e) < 0 ? -1 : open_delays(l, c, &comm, e);
    free(comm.v);
    return status;
}

void laws_close(struct laws *l)
{
    delays_close(&l->comm);
    delays_close(&l->delays);
    pools_close(&l->pools);
    for (size_t i = 0; i < l->n; i++)
        free(l->owned[i]);
    free(l->owned);
    free(l->texts.v);
    *l = (struct laws){ 0 };
}
