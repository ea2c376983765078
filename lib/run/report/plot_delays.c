/* How long minibatches take: a histogram of a trace or a column of durations, and the densities of laws over it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "delay/delay.h"
#include "delay/durations.h"
#include "delay/fit.h"
#include "run/cells.h"
#include "run/report/plot_kinds.h"

enum { BINS = 40, POINTS = 200, LAWS = 3 };

/* Laws that are drawn: best first. */
struct laws {
    struct spec v[LAWS];
    char *names[LAWS];
    size_t n;
};

/* A SPEC for people: its numbers with three digits. */
static char *label_of(const char *spec, struct err *e)
{
    char text[200];
    size_t n = 0;
    const char *end = spec + strlen(spec), *next;
    double v;
    while (spec < end && n < sizeof text - NUM_TEXT) {
        bool starts = n > 0 && strchr(":=,", text[n - 1]) != NULL;
        next = starts ? num_double(spec, end, &v) : NULL;
        if (next == NULL)
            text[n++] = *spec++;
        else
            n += (size_t)snprintf(text + n, NUM_TEXT, "%.3g", v);
        spec = next ? next : spec;
    }
    text[n] = '\0';
    return mem_text(text, e);
}

static int add_law(struct laws *l, const char *spec, struct err *e)
{
    if (spec_parse(&l->v[l->n], &delay_table, spec, e) < 0 || (l->names[l->n] = label_of(spec, e)) == NULL)
        return -1;
    l->n++;
    return 0;
}

/* Not every law has a density. */
static bool is_drawn(const char *family)
{
    return strcmp(family, "const") != 0 && strcmp(family, "empirical") != 0 && strcmp(family, "recorded") != 0;
}

static int read_laws(struct laws *l, const struct plot_input *in, struct err *e)
{
    struct cells c = { 0 };
    int more = cells_open(&c, in->path, e);
    if (more == 0)
        while (l->n < LAWS && (more = cells_next(&c, e)) > 0) {
            const char *spec = cells_text(&c, "spec");
            if (spec && strchr(spec, ':') && strncmp(spec, "const:", 6) != 0 && strncmp(spec, "empirical:", 10) != 0 &&
                add_law(l, spec, e) < 0) {
                cells_blame(&c, e);
                more = -1;
                break;
            }
        }
    cells_close(&c);
    return more < 0 ? -1 : 0;
}

static int fit_laws(struct laws *l, struct durations *d, struct err *e)
{
    struct fits f = { 0 };
    int status = fits_open(&f, d, e);
    for (size_t i = 0; i < f.n && l->n < LAWS && status == 0; i++)
        if (f.v[i].law.plug && is_drawn(f.v[i].row->plug.name))
            status = add_law(l, f.v[i].law.text, e);
    fits_free(&f);
    return status;
}

/* s, ms or us, as people would say it of so many seconds. */
static double unit_of(double seconds, const char **name)
{
    *name = seconds >= 2 ? "s" : seconds >= 2e-3 ? "ms" : "us";
    return seconds >= 2 ? 1 : seconds >= 2e-3 ? 1e-3 : 1e-6;
}

/* Bars of Kaplan and Meier's distribution, which counts those cut short for what they would have been. */
static void put_bars(struct script *s, const struct spec *seen, double first, double last, double unit)
{
    double width = (last - first) / BINS;
    for (unsigned i = 0; i < BINS; i++) {
        double low = first + i * width, high = low + width;
        double below = i == 0 ? 0 : delay_cdf(seen, low);
        double v[] = { (low + high) / 2 / unit, (delay_cdf(seen, high) - below) / width * unit, width / unit };
        script_row(s, v, 3);
    }
}

static void put_density(struct script *s, const struct spec *law, double first, double last, double unit)
{
    for (unsigned i = 0; i <= POINTS; i++) {
        double x = first + (last - first) * i / POINTS, v[] = { x / unit, exp(delay_logpdf(law, x)) * unit, 0 };
        if (isfinite(v[1]))
            script_row(s, v, 3);
    }
}

static int draw(struct script *s, struct laws *l, const struct spec *seen, const struct durations *d,
                const struct plotting *p, struct err *e)
{
    const char *name;
    double first = delay_quantile(seen, 0, 1), last = delay_quantile(seen, 0.99, 0.01);
    last = fmin(last, durations_greatest(d));
    if (!(last > first))
        last = first + fmax(first * 0.1, 1e-6); /* all alike */
    double unit = unit_of(last, &name);
    size_t completed = durations_completed(d);
    script_text(s, "unit", name);
    script_real(s, "completed", (double)completed);
    script_real(s, "cut", (double)(d->n - completed));
    script_real(s, "last", last / unit);
    script_names(s, l->names, l->n);
    script_table(s, 3);
    put_bars(s, seen, first, last, unit);
    for (size_t i = 0; i < l->n; i++) {
        script_block(s, 3);
        put_density(s, &l->v[i], first, last, unit);
    }
    script_table_end(s);
    return script_draw(s, "delays", p->out, e);
}

static int picture(struct laws *l, struct durations *d, struct spec *seen, const struct plotting *p, struct err *e)
{
    struct script s = { 0 };
    char *text = mem_print(e, "empirical:%s", p->v[0].path);
    int status = text == NULL || durations_read(d, p->v[0].path, e) < 0 || spec_parse(seen, &delay_table, text, e) < 0 ||
                         (p->n > 1 ? read_laws(l, &p->v[1], e) : fit_laws(l, d, e)) < 0 || script_open(&s, p->kind, e) < 0
                     ? -1
                     : draw(&s, l, seen, d, p, e);
    script_close(&s);
    free(text);
    return status;
}

int plot_delays(const struct plotting *p, struct err *e)
{
    struct laws l = { 0 };
    struct durations d = { 0 };
    struct spec seen = { 0 };
    int status = picture(&l, &d, &seen, p, e);
    for (size_t i = 0; i < LAWS; i++) {
        spec_free(&l.v[i]);
        free(l.names[i]);
    }
    spec_free(&seen);
    durations_free(&d);
    return status;
}
