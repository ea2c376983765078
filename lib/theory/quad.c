/* Integrals of survival functions: Gauss and Kronrod's 15 points, halved where they disagree, in the
 * logarithm of the time since the last start, so that all scales of time are seen. */
#include "theory/quad.h"

#include <math.h>

enum { DEPTH = 40, NARROW = 4, WIDEST = 690 };

static const double precision = 1e-11, noise = 2e-14, least_above = 1e-280;

/* t = from + e^x (logarithmic), or x. */
struct stretch {
    const struct survival *s;
    double from;
    bool logarithmic;
};

static double height(const struct stretch *p, double x)
{
    if (!p->logarithmic)
        return p->s->above(p->s->state, x);
    double scale = exp(x);
    return p->s->above(p->s->state, p->from + scale) * scale;
}

/* Kronrod's nodes and weights; every second node is one of Gauss's seven. */
static const double node[8] = {
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
    0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
    0.586087235467691130294144691693013, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245, 0,
};
static const double kronrod[8] = {
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
    0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
    0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714,
};
static const double gauss[8] = {
    0, 0.129484966168869693270611432679082, 0, 0.279705391489276667901467771423780,
    0, 0.381830050505118944950369775488975, 0, 0.417959183673469387755102040816327,
};

static double panel(const struct stretch *p, double low, double high, double *miss)
{
    double middle = (low + high) / 2, half = (high - low) / 2;
    double fine = 0, coarse = 0;
    for (int i = 0; i < 8; i++) {
        double y = height(p, middle - half * node[i]);
        if (node[i] > 0)
            y += height(p, middle + half * node[i]);
        fine += kronrod[i] * y;
        coarse += gauss[i] * y;
    }
    *miss = fabs(fine - coarse) * half;
    return fine * half;
}

/* What a panel may be off. */
struct allowance {
    double share, least; /* least: below it is noise */
};

/* The part between low and high, of which one panel says that it is `sum` give or take `miss`. */
static double refine(const struct stretch *p, double low, double high, double sum, double miss,
                     struct allowance off, int depth)
{
    if (miss <= fmax(off.share, off.least) || depth == 0)
        return sum;
    double middle = (low + high) / 2, left_miss, right_miss;
    double left = panel(p, low, middle, &left_miss), right = panel(p, middle, high, &right_miss);
    off.share /= 2;
    return refine(p, low, middle, left, left_miss, off, depth - 1) +
           refine(p, middle, high, right, right_miss, off, depth - 1);
}

/* First all panels for the size of the whole, then each to its share of the precision. */
static double integrate(const struct stretch *p, double low, double high, double width,
                        double known)
{
    double rough = known, sum = 0, miss;
    int panels = (int)ceil((high - low) / width);
    double step = (high - low) / panels;
    for (int i = 0; i < panels; i++)
        rough += panel(p, low + i * step, low + (i + 1) * step, &miss);
    struct allowance off = { precision * rough / panels, noise * rough };
    for (int i = 0; i < panels; i++) {
        double first = panel(p, low + i * step, low + (i + 1) * step, &miss);
        sum += refine(p, low + i * step, low + (i + 1) * step, first, miss, off, DEPTH);
    }
    return sum;
}

/* x = log(t - from) at which half of what was above `from` is left. */
static double half_way(const struct survival *s, double from, double above)
{
    double low = -WIDEST, high = WIDEST;
    while (high - low > 0.5) {
        double middle = (low + high) / 2;
        if (s->above(s->state, from + exp(middle)) > above / 2)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Behind the last bend, to where nothing is left but what the tail's index tells. */
static double open_end(const struct survival *s, double from, double above, double known)
{
    enum { BELOW = 40, STEP = 3 };
    struct stretch p = { s, from, true };
    double middle = half_way(s, from, above), high = middle, left;
    double little = 1e-17 * fmax(above * exp(middle), known);
    do {
        high += STEP;
        left = s->above(s->state, from + exp(high));
    } while (left * exp(high) > little && left > least_above && high < WIDEST);
    double tail = isfinite(s->tail_index) ? left * exp(high) / (s->tail_index - 1) : 0;
    double first = above * exp(middle - BELOW);
    return first + integrate(&p, middle - BELOW, high, NARROW, known) + tail;
}

static double between(const struct survival *s, const struct bend *from, double to, double above,
                      double known)
{
    enum { BELOW = 60 };
    double next = nextafter(to, 0), length = to - from->t;
    double left = s->above(s->state, next);
    if (left == above)
        return above * length;
    struct stretch p = { s, from->t, from->start };
    if (!from->start)
        return integrate(&p, from->t, next, length, known);
    double high = log(length);
    return above * length * exp(-BELOW) + integrate(&p, high - BELOW, high, NARROW, known);
}

double survival_mean(const struct survival *s)
{
    double sum = s->bends > 0 ? s->whole * s->bend[0].t : 0;
    for (size_t i = 0; i < s->bends; i++) {
        double from = s->bend[i].t, above = s->above(s->state, from);
        if (above == 0)
            return sum;
        if (i + 1 < s->bends)
            sum += between(s, &s->bend[i], s->bend[i + 1].t, above, sum);
        else if (!s->bounded)
            sum += open_end(s, from, above, sum);
    }
    return sum;
}
