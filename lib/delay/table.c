/* The table of delay laws, and what is asked of a parsed SPEC. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "delay/delay.h"

#define DELAY(name) extern const struct delay_ops delay_##name;
#include "delay/delay.def"
#undef DELAY

static const struct plug *const rows[] = {
#define DELAY(name) &delay_##name.plug,
#include "delay/delay.def"
#undef DELAY
    NULL,
};

const struct table delay_table = { "delay", rows };

static const double no_delay; /* the conf of a constant of 0 */

const struct delay_ops *delay_row(const struct spec *d)
{
    return d->plug ? (const struct delay_ops *)d->plug : &delay_constant;
}

static const void *conf_of(const struct spec *d)
{
    return d->plug ? d->conf : &no_delay;
}

double delay_cdf(const struct spec *d, double x)
{
    return delay_row(d)->cdf(conf_of(d), x);
}

double delay_logtail(const struct spec *d, double x)
{
    return delay_row(d)->logtail(conf_of(d), x);
}

double delay_quantile(const struct spec *d, double p, double q)
{
    return delay_row(d)->quantile(conf_of(d), p, q);
}

double delay_mean(const struct spec *d)
{
    return delay_row(d)->mean(conf_of(d));
}

double delay_logpdf(const struct spec *d, double x)
{
    return delay_row(d)->logpdf(conf_of(d), x);
}

unsigned delay_ageing(const struct spec *d)
{
    const struct delay_ops *row = delay_row(d);
    return row->ageing ? row->ageing(conf_of(d)) : 0;
}

double delay_tail_index(const struct spec *d)
{
    const struct delay_ops *row = delay_row(d);
    return row->tail_index ? row->tail_index(conf_of(d)) : INFINITY;
}

bool delay_is(const struct spec *d, const char *family)
{
    return strcmp(delay_row(d)->plug.name, family) == 0;
}

static double value_at(const void *conf, const struct param *p)
{
    double v;
    memcpy(&v, (const char *)conf + p->offset, sizeof v);
    return v;
}

double delay_param(const struct spec *d, const char *name)
{
    const struct param *p = delay_row(d)->plug.params;
    while (p->name && strcmp(p->name, name) != 0)
        p++;
    return p->name ? value_at(conf_of(d), p) : NAN;
}

/* As few digits as give the same bits. */
static const char *shortest(char text[NUM_TEXT], double v)
{
    double back = NAN;
    for (int digits = 6; digits <= 17 && back != v; digits++) {
        snprintf(text, NUM_TEXT, "%.*g", digits, v);
        num_double(text, text + strlen(text), &back);
    }
    return text;
}

char *delay_text(const struct delay_ops *row, const void *conf, struct err *e)
{
    char *spec = mem_text(row->plug.name, e), number[NUM_TEXT];
    for (const struct param *p = row->plug.params; spec && p->name; p++) {
        const char *between = p == row->plug.params ? ":" : ",";
        char *more =
            mem_print(e, "%s%s%s=%s", spec, between, p->name, shortest(number, value_at(conf, p)));
        free(spec);
        spec = more;
    }
    return spec;
}

double delay_of(const struct spec *d, uint64_t seed, uint64_t rank, uint64_t index)
{
    if (d->plug == NULL)
        return 0;
    const struct delay_ops *row = delay_row(d);
    if (row->at)
        return row->at(d->conf, rank, index);
    struct rng r;
    rng_open(&r, seed, RNG_DELAY, rank, index);
    return row->sample(d->conf, &r);
}
