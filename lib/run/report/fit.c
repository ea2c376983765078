/* Which laws durations follow: a row a family, best first; by worker, a row for each of every group of
 * workers that are alike. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "delay/alike.h"
#include "delay/fit.h"
#include "run/report/report.h"

static const char *const columns[] = { "family", "spec", "loglik", "aic", "ks", "p", NULL };
static const char *const columns_by_worker[] = { "family", "spec", "loglik", "aic", "ks", "p", "workers",
                                                 NULL };

/* Among whose durations; NULL: of all workers. */
struct scope {
    const struct report_conf *c;
    struct tsv out;
    const char *workers;
};

static double sample_mean(const struct durations *d)
{
    double sum = 0;
    for (size_t i = 0; i < d->n; i++)
        sum += d->v[i].seconds;
    return sum / (double)d->n;
}

/* A law without a mean has samples with one, which means nothing. */
static void warn(const struct scope *s, const struct fit *best, const struct durations *d)
{
    if (best->law.plug == NULL || delay_tail_index(&best->law) > 1)
        return;
    log_note(&s->c->log, "%s%s%s: this law has no finite mean (shape %g is at most 1); the mean of the %zu "
             "durations, %g s, is of this sample alone, not what to expect", s->workers ? s->workers : "",
             s->workers ? ": " : "", best->row->plug.name, delay_tail_index(&best->law), d->n,
             sample_mean(d));
}

static void row(struct scope *s, const struct fit *f)
{
    if (f->law.plug == NULL)
        log_detail(&s->c->log, "%s: %s", f->row->plug.name, f->why.text);
    tsv_text(&s->out, f->row->plug.name);
    tsv_text(&s->out, f->law.text);
    tsv_real(&s->out, f->loglik);
    tsv_real(&s->out, f->aic);
    tsv_real(&s->out, f->ks);
    tsv_real(&s->out, f->p);
    if (s->workers)
        tsv_text(&s->out, s->workers);
    tsv_end(&s->out);
}

/* The durations as they are, which no law is nearer to; of a file that can be read again. */
static int empirical_row(struct scope *s, struct err *e)
{
    char *spec = mem_print(e, "empirical:%s", s->c->operand);
    if (spec == NULL)
        return -1;
    tsv_text(&s->out, "empirical");
    tsv_text(&s->out, spec);
    tsv_real(&s->out, NAN);
    tsv_real(&s->out, NAN);
    tsv_real(&s->out, 0);
    tsv_real(&s->out, NAN);
    tsv_end(&s->out);
    free(spec);
    return 0;
}

static int copy(struct durations *to, const struct durations *from, struct err *e)
{
    for (size_t i = 0; i < from->n; i++)
        if (durations_add(to, &from->v[i], e) < 0)
            return -1;
    return 0;
}

static int families(struct scope *s, const struct durations *d, struct err *e)
{
    struct durations sorted = { 0 };
    struct fits f = { 0 };
    int status = copy(&sorted, d, e) < 0 || fits_open(&f, &sorted, e) < 0 ? -1 : 0;
    for (size_t i = 0; i < f.n && status == 0; i++) {
        status = fit_chance(&f.v[i], d, e);
        if (status == 0)
            row(s, &f.v[i]);
    }
    if (status == 0)
        warn(s, &f.v[0], d);
    fits_free(&f);
    durations_free(&sorted);
    return status;
}

static int together(struct scope *s, const struct durations *d, struct err *e)
{
    tsv_open(&s->out, stdout, s->c->json, "dsgd-trace-fit/1", columns);
    if (families(s, d, e) < 0)
        return -1;
    return strcmp(s->c->operand, "-") == 0 ? 0 : empirical_row(s, e);
}

static int by_worker(struct scope *s, const struct durations *d, struct err *e)
{
    struct alike a = { 0 };
    if (alike_open(&a, d, e) < 0)
        return err_ctx(e, "%s", s->c->operand);
    tsv_open(&s->out, stdout, s->c->json, "dsgd-trace-fit/1", columns_by_worker);
    if (a.unknown > 0)
        log_note(&s->c->log, "%zu workers without a completed minibatch are left out", a.unknown);
    int status = 0;
    for (size_t i = 0; i < a.n && status == 0; i++) {
        char *range = alike_range(&a.v[i], e);
        s->workers = range;
        status = range == NULL ? -1 : families(s, &a.v[i].d, e);
        free(range);
    }
    alike_free(&a);
    return status;
}

static int run(const struct report_conf *c, struct err *e)
{
    struct scope s = { .c = c };
    struct durations d = { 0 };
    if (c->by && strcmp(c->by, "worker") != 0)
        return err_set(e, ERR_USAGE, "--by: '%s': known is worker", c->by);
    int status = durations_read(&d, c->operand, e);
    if (status == 0)
        status = c->by ? by_worker(&s, &d, e) : together(&s, &d, e);
    durations_free(&d);
    return status;
}

static const char *const options[] = { "by", NULL };

const struct report_ops report_fit = {
    .plug = { .name = "fit", .help = "a row a family of delays, best first: its likeliest parameters" },
    .columns = columns,
    .run = run,
    .options = options,
};
