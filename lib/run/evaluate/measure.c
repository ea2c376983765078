/* Measures of what a model is worth. Rows count as their weights say. */
#include "run/evaluate/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A row of the table. */
struct measure {
    struct plug plug;
    int (*value)(const struct outcome *o, double loss, double *value, struct err *e);
};

static int accuracy(const struct outcome *o, double loss, double *value, struct err *e)
{
    double right = 0, all = 0;
    (void)loss, (void)e;
    for (size_t i = 0; i < o->rows; i++) {
        right += (double)o->weight[i] * (o->predicted[i] == o->y[i]);
        all += (double)o->weight[i];
    }
    *value = o->classes == 0 ? NAN : right / all;
    return 0;
}

/* Of two classes that of the second, the positive one; of more the mean over those that are there. */
static int f1(const struct outcome *o, double loss, double *value, struct err *e)
{
    double sum = 0;
    size_t n = 0;
    (void)loss;
    *value = NAN;
    if (o->classes == 0)
        return 0;
    struct tally_class *t = outcome_tally(o, e);
    if (t == NULL)
        return -1;
    for (size_t k = 0; k < o->classes; k++)
        if (!isnan(tally_f1(&t[k]))) {
            sum += tally_f1(&t[k]);
            n++;
        }
    *value = o->classes == 2 ? tally_f1(&t[1]) : n > 0 ? sum / (double)n : NAN;
    free(t);
    return 0;
}

struct ranked {
    double liked;
    double positive, negative; /* weight, in one of them */
};

static int by_liking(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->liked, y = ((const struct ranked *)b)->liked;
    return (x > y) - (x < y);
}

/* The area under the curve: how often a positive row is liked more than a negative one, a tie counting half
 * (Mann and Whitney). v is sorted. */
static double area(const struct ranked *v, size_t n)
{
    double below = 0, pairs = 0, positive = 0;
    for (size_t i = 0, end; i < n; i = end) {
        double up = 0, down = 0;
        for (end = i; end < n && v[end].liked == v[i].liked; end++) {
            up += v[end].positive;
            down += v[end].negative;
        }
        pairs += up * (below + down / 2);
        below += down;
        positive += up;
    }
    return pairs / (positive * below); /* 0 / 0: NAN */
}

/* Class k against all others, by column `at` of what was liked; rows of labels that the model never saw are
 * left out. room (rows). */
static double area_of(const struct outcome *o, size_t k, size_t at, struct ranked *room)
{
    size_t n = 0;
    for (size_t i = 0; i < o->rows; i++) {
        double liked = o->liked[i * o->liked_n + at];
        if (isnan(liked))
            return NAN;
        if (!isnan(o->y[i]))
            room[n++] = (struct ranked){ liked, o->y[i] == (double)k ? (double)o->weight[i] : 0,
                                         o->y[i] == (double)k ? 0 : (double)o->weight[i] };
    }
    qsort(room, n, sizeof *room, by_liking);
    return area(room, n);
}

/* Of two classes that of the second; of more the mean of each against the rest, where it is defined. */
static int auc(const struct outcome *o, double loss, double *value, struct err *e)
{
    double sum = 0;
    size_t n = 0;
    (void)loss;
    *value = NAN;
    if (o->classes == 0)
        return 0;
    struct ranked *room = mem_new(o->rows, sizeof *room, e);
    if (room == NULL)
        return -1;
    for (size_t k = o->classes == 2; k < o->classes; k++) {
        double one = area_of(o, k, o->liked_n > 1 ? k : 0, room);
        if (isnan(one))
            continue;
        sum += one;
        n++;
    }
    *value = n > 0 ? sum / (double)n : NAN;
    free(room);
    return 0;
}

/* -log of the chance that the row's own class was given: what models with chances minimise. */
static int log_loss(const struct outcome *o, double loss, double *value, struct err *e)
{
    (void)e;
    *value = o->chances ? loss : NAN;
    return 0;
}

static int mae(const struct outcome *o, double loss, double *value, struct err *e)
{
    double off = 0, all = 0;
    (void)loss, (void)e;
    for (size_t i = 0; i < o->rows; i++) {
        off += (double)o->weight[i] * fabs(o->predicted[i] - o->y[i]);
        all += (double)o->weight[i];
    }
    *value = o->classes > 0 ? NAN : off / all;
    return 0;
}

/* 1 - sum (s - y)^2 / sum (y - mean)^2 */
static int r2(const struct outcome *o, double loss, double *value, struct err *e)
{
    double mean = 0, all = 0, left = 0, spread = 0;
    (void)loss, (void)e;
    for (size_t i = 0; i < o->rows; i++) {
        mean += (double)o->weight[i] * o->y[i];
        all += (double)o->weight[i];
    }
    mean /= all;
    for (size_t i = 0; i < o->rows; i++) {
        left += (double)o->weight[i] * (o->predicted[i] - o->y[i]) * (o->predicted[i] - o->y[i]);
        spread += (double)o->weight[i] * (o->y[i] - mean) * (o->y[i] - mean);
    }
    *value = o->classes > 0 || spread == 0 ? NAN : 1 - left / spread;
    return 0;
}

#define MEASURE(var, called, said, function)                                                       \
    static const struct measure var = { { .name = called, .help = said }, function }
MEASURE(of_accuracy, "accuracy", "part of the rows that are classified right", accuracy);
MEASURE(of_auc, "auc", "area under the ROC curve; of many classes the mean of each against the rest", auc);
MEASURE(of_f1, "f1", "of the positive class; of many classes the mean over all", f1);
MEASURE(of_log_loss, "log-loss", "mean -log of the chance given to the right class", log_loss);
MEASURE(of_mae, "mae", "mean distance from the target", mae);
MEASURE(of_r2, "r2", "part of the targets' variance that is explained", r2);

static const struct plug *const rows[] = { &of_accuracy.plug, &of_auc.plug, &of_f1.plug,
                                           &of_log_loss.plug, &of_mae.plug, &of_r2.plug, NULL };
const struct table measure_table = { "score", rows };

static int parse_one(struct measures *m, const char *text, size_t length, struct err *e)
{
    struct spec spec = { 0 };
    char *name = mem_print(e, "%.*s", (int)length, text);
    int status = name == NULL ? -1 : spec_parse(&spec, &measure_table, name, e);
    for (size_t i = 0; status == 0 && i < m->n; i++)
        if (m->v[i] == spec.plug)
            status = err_set(e, ERR_USAGE, "%s is asked for twice", name);
    if (status == 0)
        m->v[m->n++] = spec.plug;
    spec_free(&spec);
    free(name);
    return status;
}

int measures_parse(struct measures *m, const struct text_list *texts, struct err *e)
{
    for (size_t i = 0; i < texts->n; i++)
        for (const char *at = texts->v[i];; at++) {
            size_t length = strcspn(at, ",");
            if (parse_one(m, at, length, e) < 0)
                return err_ctx(e, "--scores");
            at += length;
            if (*at == 0)
                break;
        }
    return 0;
}

int measure_value(const struct plug *measure, const struct outcome *o, double loss, double *value,
                  struct err *e)
{
    return ((const struct measure *)measure)->value(o, loss, value, e);
}
