/* Kaplan and Meier's estimate of a distribution function. */
#include "delay/steps.h"

#include <stdlib.h>

#include "base/mem.h"

static int by_time(const void *a, const void *b)
{
    const struct duration *p = a, *q = b;
    return (p->seconds > q->seconds) - (p->seconds < q->seconds);
}

/* How many from i on are of the same length; of those, how many end there. */
static size_t alike(const struct durations *d, size_t i, bool censoring, size_t *ended)
{
    size_t n = 0;
    *ended = 0;
    for (; i + n < d->n && d->v[i + n].seconds == d->v[i].seconds; n++)
        *ended += d->v[i + n].censored == censoring;
    return n;
}

/* Of those that end at the same time, the completed do so first. While nothing was censored before,
 * the shares are exact quotients. n times Greenwood's sum is
 * K / (1 - K). */
static void climb(struct steps *s, const struct durations *d, bool censoring)
{
    double left = 1, greenwood = 0, weight;
    size_t ended = 0, all = 0;
    for (size_t i = 0, n; i < d->n; i += n) {
        n = alike(d, i, censoring, &ended);
        if (ended == 0)
            continue;
        all += ended;
        size_t before = d->n - i - (censoring ? n - ended : 0), after = before - ended;
        bool whole = all == i + ended && before == d->n - i;
        left = whole ? (double)after / (double)d->n : left * ((double)after / (double)before);
        greenwood += (double)ended / ((double)before * (double)after);
        weight = whole ? 1 : after == 0 ? 0 : 1 / ((1 + (double)d->n * greenwood) * left);
        s->x[s->n] = d->v[i].seconds;
        s->weight[s->n] = weight;
        s->cdf[s->n++] = whole ? (double)all / (double)d->n : 1 - left;
    }
}

int steps_open(struct steps *s, struct durations *d, bool censoring, struct err *e)
{
    if (d->n > 0)
        qsort(d->v, d->n, sizeof *d->v, by_time);
    s->x = mem_new(d->n + 1, sizeof *s->x, e);
    s->cdf = mem_new(d->n + 1, sizeof *s->cdf, e);
    s->weight = mem_new(d->n + 1, sizeof *s->weight, e);
    if (s->x == NULL || s->cdf == NULL || s->weight == NULL) {
        steps_free(s);
        return -1;
    }
    climb(s, d, censoring);
    s->known = s->n;
    if (d->n > 0 && (s->n == 0 || s->cdf[s->n - 1] < 1)) {
        s->x[s->n] = d->v[d->n - 1].seconds;
        s->cdf[s->n++] = 1;
    }
    return 0;
}

void steps_free(struct steps *s)
{
    free(s->x);
    free(s->cdf);
    free(s->weight);
    *s = (struct steps){ 0 };
}

/* How many of the n rising values are below v, or at most v. */
static size_t below(const double *values, size_t n, double v, bool or_at)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (values[middle] < v || (or_at && values[middle] == v))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double steps_cdf(const struct steps *s, double x)
{
    size_t n = below(s->x, s->n, x, true);
    return n == 0 ? 0 : s->cdf[n - 1];
}

double steps_quantile(const struct steps *s, double p)
{
    size_t i = below(s->cdf, s->n, p, false);
    return s->x[i < s->n ? i : s->n - 1];
}

double steps_mean(const struct steps *s)
{
    double sum = 0, before = 0;
    for (size_t i = 0; i < s->n; before = s->cdf[i++])
        sum += s->x[i] * (s->cdf[i] - before);
    return sum;
}
