/* What theory wants to know of an objective (THEORY 3): L, c, sigma2, M_G and the gap. */
#include "run/evaluate/constants.h"

#include <math.h>
#include <stdlib.h>

#include "base/descent.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/rng.h"
#include "base/spectrum.h"
#include "base/tsv.h"
#include "base/vector.h"
#include "run/evaluate/risk.h"

/* Passes over the data: as many as WORK allows, but within these. */
enum { DESCENT_LEAST = 60, DESCENT_MOST = 1000, SPECTRUM_LEAST = 30, SPECTRUM_MOST = 200 };
#define WORK 3e10 /* products of a feature and a parameter: some ten seconds */
#define DOUBTFUL 0.01 /* of the gap: the part of it that F* may be off by without a word */
#define CLOSE 1e-6 /* of the gap: a model that is this near is at the minimum */

/* The points where something is measured, and what it was. All arrays (size). */
struct measure {
    const struct constants_conf *c;
    struct risk risk;
    double *start, *model, *low; /* w_0; the model; the minimum */
    double *gradient;
    const double *at; /* where the curvature is measured */
    double f_start, f_model, f_star, loss_min;
    double square_start, square_model, square_min; /* ||grad F||^2 */
    double sigma2, m_g;
    struct eigenvalue L, c_min;
    unsigned long passes;
    const char *stage; /* for the progress line */
};

static unsigned passes(const struct measure *m, unsigned least, unsigned most)
{
    double cost = (double)m->risk.data->rows * (double)m->risk.size;
    return (unsigned)fmin(fmax(WORK / cost, least), most);
}

static void heard(void *self)
{
    struct measure *m = self;
    m->passes++;
    if (progress_wanted(m->c->log))
        progress_show(m->c->log, "%s: pass %lu over the data", m->stage, m->passes);
}

static double slope_at(void *self, const double *w, double *gradient)
{
    struct measure *m = self;
    return risk_slope(&m->risk, w, gradient, NULL);
}

static void bend_at(void *self, const double *v, double *hv)
{
    struct measure *m = self;
    risk_bend(&m->risk, m->at, v, hv);
}

static double look(struct measure *m, const double *w, double *square)
{
    double f = risk_slope(&m->risk, w, m->gradient, NULL);
    *square = vector_dot(m->gradient, m->gradient, m->risk.size);
    return f;
}

/* From the model, or from the start where that is lower. */
static int find_minimum(struct measure *m, struct err *e)
{
    size_t n = m->risk.size;
    struct descent d;
    m->stage = "minimum";
    m->f_start = look(m, m->start, &m->square_start);
    m->f_model = look(m, m->model, &m->square_model);
    if (!isfinite(m->f_start))
        return err_set(e, ERR_NO, "the loss at the start is not finite");
    const double *from = m->f_model <= m->f_start ? m->model : m->start;
    for (size_t i = 0; i < n; i++)
        m->low[i] = from[i];
    if (descend(&d, slope_at, m, n, m->low, passes(m, DESCENT_LEAST, DESCENT_MOST), e) < 0)
        return -1;
    m->square_min = d.square;
    m->f_star = risk_slope(&m->risk, m->low, m->gradient, &m->loss_min);
    return 0;
}

/* E||g - grad F||^2 <= sigma2 + M_G ||grad F||^2: sigma2 at the model, M_G so that it holds at the start. */
static void find_noise(struct measure *m)
{
    m->stage = "noise";
    m->sigma2 = risk_noise(&m->risk, m->model, m->gradient);
    double first = risk_noise(&m->risk, m->start, m->gradient);
    m->m_g = first > m->sigma2 ? (first - m->sigma2) / vector_dot(m->gradient, m->gradient, m->risk.size)
             : first >= 0      ? 0
                               : NAN;
}

/* What training can reach from the start lies in the space that the data's own curvature makes of
 * anything: flat directions outside it are no part of the problem. */
static int find_curvature_at(struct measure *m, const double *at, struct spectrum *s, struct err *e)
{
    size_t n = m->risk.size;
    double *start = mem_new(n, sizeof *start, e), l2 = m->risk.l2;
    struct rng r;
    if (start == NULL)
        return -1;
    rng_open(&r, 1, RNG_CURVATURE, 0, 0);
    for (size_t i = 0; i < n; i++)
        m->gradient[i] = rng_normal(&r);
    m->at = at;
    m->risk.l2 = 0;
    bend_at(m, m->gradient, start);
    m->risk.l2 = l2;
    int status = spectrum_ends(s, bend_at, m, n, start, passes(m, SPECTRUM_LEAST, SPECTRUM_MOST), e);
    free(start);
    return status;
}

/* The largest and the smallest of both ends of the way. Where Lanczos has not come to the smallest, the penalty's
 * stands for it: no weight has less. */
static int find_curvature(struct measure *m, struct err *e)
{
    struct spectrum first, last;
    double l2 = m->risk.l2;
    m->stage = "curvature";
    m->L = m->c_min = (struct eigenvalue){ NAN, true };
    if (!gradient_smooth(m->risk.gradient)) {
        if (l2 > 0 && gradient_convex(m->risk.gradient))
            m->c_min.value = l2; /* F is strongly convex all the same */
        return 0;
    }
    if (find_curvature_at(m, m->start, &first, e) < 0 || find_curvature_at(m, m->model, &last, e) < 0)
        return -1;
    m->L = first.largest.value >= last.largest.value ? first.largest : last.largest;
    m->c_min = first.least.value <= last.least.value ? first.least : last.least;
    if (!m->c_min.settled && l2 > 0)
        m->c_min = (struct eigenvalue){ l2, true };
    return 0;
}

static void tell(const struct measure *m, const char *name)
{
    const struct log *log = m->c->log;
    double gap = m->f_start - m->f_star, off = m->square_min / (2 * m->c_min.value);
    if (!gradient_smooth(m->risk.gradient))
        log_note(log, "L: NA: the loss of %s has kinks; F* is the least value that was found", name);
    else if (!m->c_min.settled)
        log_note(log, "c: an upper bound: the smallest curvature was not found in %u products",
                 passes(m, SPECTRUM_LEAST, SPECTRUM_MOST));
    if (!m->L.settled)
        log_note(log, "L: a lower bound: the largest curvature was not found in %u products",
                 passes(m, SPECTRUM_LEAST, SPECTRUM_MOST));
    if (gradient_smooth(m->risk.gradient) && !(off <= DOUBTFUL * gap))
        log_note(log, "gap: F* may be lower than the least value that was found, %g: by %g where c is %g",
                 m->f_star, fmin(off, m->f_star), m->c_min.value);
}

/* The c of 2 c (F - F*) <= ||grad F||^2, which is all that the bounds take it for, on the way from start to model;
 * of one that is at the minimum nothing can be told. */
static double c_way(const struct measure *m)
{
    double start = m->square_start / (2 * (m->f_start - m->f_star));
    double model = m->square_model / (2 * (m->f_model - m->f_star));
    return m->f_model - m->f_star > CLOSE * (m->f_start - m->f_star) ? fmin(start, model) : start;
}

static void print(const struct measure *m, const struct model *model)
{
    static const char *const columns[] = { "L", "c", "sigma2", "gap", "gamma", "p0", "m_g", "loss",
                                           "fstar", "loss_min",
                                           "c_way", "model", "l2", NULL };
    const double values[] = { m->L.value, m->c_min.value, m->sigma2, m->f_start - m->f_star, NAN,
                              NAN, m->m_g, m->f_start, m->f_star, m->loss_min, c_way(m) };
    struct tsv out;
    tsv_open(&out, stdout, m->c->json, "dsgd-eval-constants/1", columns);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        tsv_real(&out, values[i]);
    tsv_text(&out, model->spec.text);
    tsv_real(&out, m->risk.l2);
    tsv_end(&out);
}

/* What the model was trained with; models that do not say had none. */
static int find_l2(const struct constants_conf *c, const struct model *m, double *l2, struct err *e)
{
    *l2 = isnan(c->l2) ? 0 : c->l2;
    if (!isnan(c->l2) || meta_text(m->meta, "l2") == NULL)
        return 0;
    return meta_real(m->meta, "l2", l2, e);
}

static int check_labels(const struct dataset *d, const double *y, struct err *e)
{
    for (size_t i = 0; i < d->rows; i++)
        if (isnan(y[i]))
            return err_set(e, ERR_DATA, "%s: a label that the model never saw has no gradient: "
                           "--constants needs data like those that it learned from", d->name);
    return 0;
}

/* As the model asks, by its seed, into r->w: the origin, but for networks. */
static int find_start(struct risk *r, const struct model *model, struct err *e)
{
    static const struct spec as_asked;
    struct err none = { 0 };
    uint64_t seed = 0;
    meta_whole(model->meta, "seed", &seed, &none);
    return init_fill(&as_asked, &model->layout, seed, r->w, e);
}

static int open_measure(struct measure *m, const struct model *model, struct err *e)
{
    double **const rooms[] = { &m->start, &m->model, &m->low, &m->gradient };
    size_t n = model->layout.size;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        if ((*rooms[i] = mem_new(n, sizeof(double), e)) == NULL)
            return -1;
    if (find_start(&m->risk, model, e) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        m->start[i] = m->risk.w[i];
        m->model[i] = model->w[i];
    }
    m->risk.heard = heard;
    m->risk.self = m;
    return 0;
}

int constants(const struct constants_conf *c, const struct model *model, const struct dataset *d,
              const double *y, struct err *e)
{
    struct measure m = { .c = c };
    double l2;
    if (check_labels(d, y, e) < 0 || find_l2(c, model, &l2, e) < 0)
        return -1;
    int status = risk_open(&m.risk, model, d, y, l2, e);
    if (status == 0 && (open_measure(&m, model, e) < 0 || find_minimum(&m, e) < 0))
        status = -1;
    if (status == 0)
        find_noise(&m);
    if (status == 0)
        status = find_curvature(&m, e);
    if (progress_wanted(c->log))
        progress_wipe();
    if (status == 0) {
        tell(&m, model->spec.plug->name);
        print(&m, model);
    }
    free(m.gradient);
    free(m.low);
    free(m.model);
    free(m.start);
    risk_close(&m.risk);
    return status;
}
