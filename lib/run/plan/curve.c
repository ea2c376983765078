/* The bound of each policy over time, as rows. */
#include "run/plan/curve.h"

#include <math.h>
#include <stdio.h>

#include "base/tsv.h"

/* Times from the first update of any to the end, even in logarithms. A bound that is this near its floor has come
 * to its end. */
enum { TIMES = 80 };
#define NEAR 1.05

static bool known(const struct outlook *o, const struct prospect *p)
{
    return isfinite(p->time.mean) && isfinite(outlook_bound(o, p, p->time.mean));
}

static double first_time(const struct outlook *o, const struct prospects *p)
{
    double first = INFINITY;
    for (size_t i = 0; i < p->n; i++)
        if (known(o, &p->v[i]))
            first = fmin(first, p->v[i].time.mean);
    return first;
}

static double last_time(const struct outlook *o, const struct prospects *p, double first)
{
    double last = first;
    if (isfinite(o->conf->deadline))
        return o->conf->deadline;
    for (size_t i = 0; i < p->n; i++)
        while (known(o, &p->v[i]) && last < first * 1e9 && outlook_bound(o, &p->v[i], last) > NEAR * p->v[i].floor)
            last *= 1.25;
    return last;
}

static void rows(struct tsv *t, const struct outlook *o, const struct prospect *p, double first, double last)
{
    for (unsigned i = 0; i < TIMES; i++) {
        double time = first * pow(last / first, (double)i / (TIMES - 1));
        tsv_text(t, p->policy.plug->name);
        tsv_whole(t, p->knobs.combine);
        tsv_real(t, time);
        tsv_real(t, outlook_bound(o, p, time));
        tsv_end(t);
    }
}

int curve_print(const struct outlook *o, const struct prospects *p, struct err *e)
{
    static const char *const columns[] = { "policy", "K", "time", "bound", NULL };
    struct tsv t;
    double first = first_time(o, p);
    if (!isfinite(first))
        return err_set(e, ERR_USAGE, "--curve: there is no bound of any policy; it takes constants (--constants, or --L "
                       "--c --sigma2 --gap, and --gamma where gradients are stale) and a constant step");
    double last = fmax(last_time(o, p, first), first * 2);
    tsv_open(&t, stdout, o->conf->json, "dsgd-plan-curve/1", columns);
    for (size_t i = 0; i < p->n; i++)
        if (known(o, &p->v[i]))
            rows(&t, o, &p->v[i], first, last);
    return 0;
}
