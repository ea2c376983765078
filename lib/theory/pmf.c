/* Distributions of counts. */
#include "theory/pmf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/special.h"

int pmf_open(struct pmf *f, size_t limit, double trim, struct err *e)
{
    *f = (struct pmf){ .limit = limit, .trim = trim, .p = mem_new(limit, sizeof *f->p, e) };
    return f->p ? 0 : -1;
}

void pmf_close(struct pmf *f)
{
    free(f->p);
    *f = (struct pmf){ 0 };
}

void pmf_none(struct pmf *f)
{
    f->low = 0;
    f->n = 1;
    f->p[0] = 1;
}

/* n log(n y / k), the k of a binomial term, where y is near k / n; 0 log 0 = 0. */
static double against(double n, double k, double y)
{
    return k == 0 ? 0 : k * log(n * y / k);
}

/* P(N = k) by Stirling's rests: no factorial is ever large. */
static double binomial(double n, double k, double p, double q)
{
    if (k == 0 || k == n)
        return k == 0 ? exp(n * log1p(-p)) : exp(n * log(p));
    /* k! = k gamma(k), so the root of n / (2 pi k (n - k)) */
    double rests = stirling_rest(n) - stirling_rest(k) - stirling_rest(n - k);
    double root = 0.5 * log(n / (2 * 3.14159265358979323846 * k * (n - k)));
    return exp(against(n, k, p) + against(n, n - k, q) + rests + root);
}

static void certain(struct pmf *f, size_t count)
{
    f->low = count < f->limit ? count : f->limit;
    f->n = count < f->limit;
    f->p[0] = 1;
}

/* From the likeliest count that is kept outward, each share by its quotient with the one before. */
void pmf_binomial(struct pmf *f, uint64_t n, double p, double q)
{
    if (p <= 0 || q <= 0) {
        certain(f, p <= 0 ? 0 : (size_t)n);
        return;
    }
    double tries = (double)n, mode = floor(fmin((tries + 1) * p, tries));
    size_t top = (size_t)n < f->limit - 1 ? (size_t)n : f->limit - 1;
    size_t start = (size_t)mode < top ? (size_t)mode : top;
    double *at = f->p, most = binomial(tries, (double)start, p, q);
    size_t low = start, high = start;
    at[start] = most;
    for (; high < top && at[high] > f->trim * most; high++)
        at[high + 1] = at[high] * (tries - (double)high) / (double)(high + 1) * (p / q);
    for (; low > 0 && at[low] > f->trim * most; low--)
        at[low - 1] = at[low] * (double)low / (tries - (double)low + 1) * (q / p);
    f->low = low;
    f->n = high - low + 1;
    memmove(f->p, at + low, f->n * sizeof *f->p);
}

static void shorten(struct pmf *f)
{
    double most = 0;
    size_t first = 0;
    for (size_t i = 0; i < f->n; i++)
        most = fmax(most, f->p[i]);
    while (f->n > 1 && f->p[f->n - 1] < f->trim * most)
        f->n--;
    while (first + 1 < f->n && f->p[first] < f->trim * most)
        first++;
    f->n -= f->n > 0 ? first : 0;
    f->low += first;
    memmove(f->p, f->p + first, f->n * sizeof *f->p);
}

void pmf_add(struct pmf *sum, const struct pmf *a, const struct pmf *b)
{
    sum->low = a->low + b->low;
    size_t room = sum->low < sum->limit ? sum->limit - sum->low : 0;
    size_t n = a->n && b->n ? a->n + b->n - 1 : 0;
    sum->n = n < room ? n : room;
    memset(sum->p, 0, sum->n * sizeof *sum->p);
    for (size_t i = 0; i < a->n && i < sum->n; i++) {
        size_t most = sum->n - i < b->n ? sum->n - i : b->n;
        for (size_t k = 0; k < most; k++)
            sum->p[i + k] += a->p[i] * b->p[k];
    }
    shorten(sum);
}

double pmf_below(const struct pmf *f)
{
    double sum = 0;
    for (size_t i = 0; i < f->n; i++)
        sum += f->p[i];
    return fmin(sum, 1);
}

double pmf_short(const struct pmf *f)
{
    double sum = 0;
    for (size_t i = 0; i < f->n; i++)
        sum += f->p[i] * (double)(f->limit - f->low - i);
    return sum;
}
