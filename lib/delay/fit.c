/* Which law durations follow: likelihood, distance, and the chance of that distance. */
#include "delay/fit.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "delay/steps.h"

static double likelihood(const struct spec *law, const struct durations *d)
{
    double sum = 0;
    for (size_t i = 0; i < d->n; i++)
        sum += (d->v[i].censored ? delay_logtail : delay_logpdf)(law, d->v[i].seconds);
    return sum;
}

/* On both sides of every step but one that stands for what nobody saw. */
static double distance(const struct spec *law, const struct steps *s)
{
    double greatest = 0, before = 0, weight = 1;
    for (size_t i = 0; i < s->known; i++) {
        double under = delay_cdf(law, nextafter(s->x[i], -INFINITY)), at = delay_cdf(law, s->x[i]);
        greatest = fmax(greatest, weight * fabs(under - before));
        before = s->cdf[i];
        weight = s->weight[i];
        greatest = fmax(greatest, weight * fabs(at - before));
    }
    return greatest;
}

/* The likeliest law of the family: 1; 0: none, and why; -1 and e. */
static int likeliest(struct spec *law, const struct delay_ops *row, const struct durations *d,
                     struct err *why, struct err *e)
{
    void *conf = mem_new(row->plug.conf, 1, e);
    if (conf == NULL)
        return -1;
    char *text = NULL;
    int status = row->fit(conf, d, why) < 0 ? 0 : 1;
    if (status == 1 && (text = delay_text(row, conf, e)) == NULL)
        status = -1;
    if (status == 1 && spec_parse(law, &delay_table, text, why) < 0)
        status = 0;
    free(text);
    free(conf);
    return status;
}

static int measure(double *ks, const struct spec *law, struct durations *d, struct err *e)
{
    struct steps s = { 0 };
    if (steps_open(&s, d, false, e) < 0)
        return -1;
    *ks = distance(law, &s);
    steps_free(&s);
    return 0;
}

static unsigned parameters(const struct delay_ops *row)
{
    unsigned n = 0;
    while (row->plug.params[n].name)
        n++;
    return n;
}

/* A law of one value has no density, and where it can be its likelihood is infinite. */
static bool sure(const struct spec *law)
{
    return delay_quantile(law, 0, 1) == delay_quantile(law, 1, 0);
}

int fit_law(struct fit *f, const struct delay_ops *row, struct durations *d, struct err *e)
{
    *f = (struct fit){ .row = row, .loglik = NAN, .aic = NAN, .bic = NAN, .ks = NAN, .p = NAN };
    int got = likeliest(&f->law, row, d, &f->why, e);
    if (got <= 0)
        return got;
    f->loglik = likelihood(&f->law, d);
    if (!isfinite(f->loglik) && !sure(&f->law)) {
        spec_free(&f->law);
        f->loglik = NAN;
        err_set(&f->why, ERR_DATA, "no number holds its likelihood");
        return 0;
    }
    f->aic = 2 * parameters(row) - 2 * f->loglik;
    f->bic = log((double)d->n) * parameters(row) - 2 * f->loglik;
    return measure(&f->ks, &f->law, d, e);
}

void fit_free(struct fit *f)
{
    spec_free(&f->law);
}

/* What is drawn in place of the durations. */
struct bootstrap {
    const struct delay_ops *row;
    struct durations d;    /* the ones that stand for all */
    struct durations like; /* the drawn */
    struct steps cuts;     /* when they are broken off; none: never */
    struct spec law;       /* of d */
    double ks;
};

static void bootstrap_free(struct bootstrap *b)
{
    spec_free(&b->law);
    steps_free(&b->cuts);
    durations_free(&b->like);
    durations_free(&b->d);
}

static int choose(struct durations *chosen, const struct durations *d, struct err *e)
{
    size_t n = d->n < FIT_CHOSEN ? d->n : FIT_CHOSEN;
    for (size_t i = 0; i < n; i++)
        if (durations_add(chosen, &d->v[i * d->n / n], e) < 0)
            return -1;
    return 0;
}

/* 1; 0 when the chosen ones allow no law of this family; -1 and e. */
static int bootstrap_open(struct bootstrap *b, const struct durations *d, struct err *e)
{
    struct err why = { 0 };
    if (choose(&b->d, d, e) < 0 || choose(&b->like, &b->d, e) < 0)
        return -1;
    size_t completed = durations_completed(&b->d);
    if (completed == 0)
        return 0;
    if (completed < b->d.n && steps_open(&b->cuts, &b->d, true, e) < 0)
        return -1;
    int got = likeliest(&b->law, b->row, &b->d, &why, e);
    return got == 1 && measure(&b->ks, &b->law, &b->d, e) < 0 ? -1 : got;
}

/* When the next one is broken off. */
static double cut(const struct steps *cuts, struct rng *r)
{
    double p = cuts->n == 0 ? 1 : rng_uniform(r);
    return cuts->known == 0 || p > cuts->cdf[cuts->known - 1] ? INFINITY : steps_quantile(cuts, p);
}

static void draw(struct bootstrap *b, uint64_t set)
{
    struct rng r;
    rng_open(&r, FIT_SEED, RNG_FIT, 0, set);
    for (size_t i = 0; i < b->like.n; i++) {
        double whole = b->row->sample(b->law.conf, &r), limit = cut(&b->cuts, &r);
        b->like.v[i].seconds = fmin(whole, limit);
        b->like.v[i].censored = limit < whole;
    }
}

/* The distance of one drawn set from its own likeliest law; NAN when it has none. */
static int drawn_distance(struct bootstrap *b, uint64_t set, double *ks, struct err *e)
{
    struct spec law = { 0 };
    struct err why = { 0 };
    *ks = NAN;
    draw(b, set);
    if (durations_completed(&b->like) == 0)
        return 0;
    int got = likeliest(&law, b->row, &b->like, &why, e);
    if (got == 1 && measure(ks, &law, &b->like, e) < 0)
        got = -1;
    spec_free(&law);
    return got < 0 ? -1 : 0;
}

int fit_chance(struct fit *f, const struct durations *d, struct err *e)
{
    struct bootstrap b = { .row = f->row };
    unsigned as_far = 1, sets = 1; /* the durations themselves are one */
    int got = f->law.plug ? bootstrap_open(&b, d, e) : 0;
    for (uint64_t set = 0; got == 1 && set < FIT_DRAWS; set++) {
        double ks;
        if (drawn_distance(&b, set, &ks, e) < 0)
            got = -1;
        as_far += ks >= b.ks;
        sets += !isnan(ks);
    }
    f->p = got == 1 ? (double)as_far / sets : NAN;
    bootstrap_free(&b);
    return got < 0 ? -1 : 0;
}

static int by_aic(const void *a, const void *b)
{
    const struct fit *p = a, *q = b;
    double x = isnan(p->aic) ? INFINITY : p->aic, y = isnan(q->aic) ? INFINITY : q->aic;
    if (x != y)
        return x < y ? -1 : 1;
    return (p->law.plug == NULL) - (q->law.plug == NULL);
}

int fits_open(struct fits *f, struct durations *d, struct err *e)
{
    size_t rows = 0;
    while (delay_table.rows[rows])
        rows++;
    f->v = mem_new(rows, sizeof *f->v, e);
    if (f->v == NULL)
        return -1;
    for (size_t i = 0; i < rows; i++) {
        const struct delay_ops *row = (const struct delay_ops *)delay_table.rows[i];
        if (row->fit && fit_law(&f->v[f->n++], row, d, e) < 0)
            return -1;
    }
    qsort(f->v, f->n, sizeof *f->v, by_aic);
    return 0;
}

void fits_free(struct fits *f)
{
    for (size_t i = 0; i < f->n; i++)
        fit_free(&f->v[i]);
    free(f->v);
    *f = (struct fits){ 0 };
}
