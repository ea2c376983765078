/* Features brought to a common size. */
#include "data/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/dataset.h"
#include "data/reals.h"

/* What is known of a feature. */
struct moments {
    double least, most, mean, square; /* square: sum of squared distances from the mean */
    size_t n;                         /* values that were looked at */
};

/* A row of the table. */
struct method {
    struct plug plug;
    /* shift and factor of a feature; NULL: there are none. A feature that is constant keeps its size. */
    void (*feature)(const struct moments *m, double *shift, double *factor);
    bool shifts; /* zeros do not stay zeros */
    bool rows;   /* each row gets length 1 */
};

static double reciprocal(double v)
{
    return v > 0 ? 1 / v : 1;
}

static void minmax(const struct moments *m, double *shift, double *factor)
{
    *shift = m->least;
    *factor = reciprocal(m->most - m->least);
}

static void maxabs(const struct moments *m, double *shift, double *factor)
{
    *shift = 0;
    *factor = reciprocal(fmax(fabs(m->least), fabs(m->most)));
}

static void standard(const struct moments *m, double *shift, double *factor)
{
    *shift = m->mean;
    *factor = reciprocal(sqrt(m->square / (double)m->n));
}

static const struct method none = {
    .plug = { .name = "none", .help = "numbers as the file has them, also bytes" },
};
static const struct method to_minmax = {
    .plug = { .name = "minmax", .help = "each feature from 0 to 1" },
    .feature = minmax,
    .shifts = true,
};
static const struct method to_maxabs = {
    .plug = { .name = "maxabs", .help = "each feature within -1 and 1; zeros stay" },
    .feature = maxabs,
};
static const struct method to_standard = {
    .plug = { .name = "standard", .help = "each feature with mean 0 and deviation 1" },
    .feature = standard,
    .shifts = true,
};
static const struct method to_unit = {
    .plug = { .name = "unit", .help = "each row with length 1; zeros stay" },
    .rows = true,
};

static const struct plug *const rows[] = { &none.plug,        &to_minmax.plug, &to_maxabs.plug,
                                           &to_standard.plug, &to_unit.plug,   NULL };
const struct table scaling_table = { "scaling", rows };

static const struct method *method_of(const struct scaling *s)
{
    return (const struct method *)s->method;
}

/* Welford's recurrence, so that nothing cancels. */
static void meet(struct moments *m, double v)
{
    double off = v - m->mean;
    m->least = m->n == 0 ? v : fmin(m->least, v);
    m->most = m->n == 0 ? v : fmax(m->most, v);
    m->mean += off / (double)++m->n;
    m->square += off * (v - m->mean);
}

void scaling_meet(struct scaling *s, const struct rows *r, size_t i)
{
    const size_t d = r->features;
    struct moments *m = s->moments;
    if (m == NULL)
        return;
    if (r->kind == ROWS_SPARSE)
        for (int64_t k = r->indptr[i]; k < r->indptr[i + 1]; k++)
            meet(&m[r->indices[k]], (double)r->values[k]);
    else
        for (size_t j = 0; j < d; j++)
            meet(&m[j], r->kind == ROWS_BYTES ? (double)(r->bytes[i * d + j] * r->scale)
                                              : (double)r->x[i * d + j]);
}

static int room(struct scaling *s, size_t n, struct err *e)
{
    s->n = n;
    s->shift = mem_new(n, sizeof *s->shift, e);
    s->factor = mem_new(n, sizeof *s->factor, e);
    return s->shift == NULL || s->factor == NULL ? -1 : 0;
}

int scaling_begin(struct scaling *s, const struct plug *method, enum rows_kind kind, size_t features,
                  const char *name, struct err *e)
{
    s->method = method;
    if (method_of(s)->shifts && kind == ROWS_SPARSE)
        return err_set(e, ERR_USAGE, "%s: --scale %s would fill the zeros of sparse rows: maxabs and unit keep "
                       "them", name, method->name);
    if (method_of(s)->feature == NULL)
        return 0;
    s->moments = mem_new(features, sizeof *s->moments, e);
    return s->moments == NULL ? -1 : room(s, features, e);
}

void scaling_settle(struct scaling *s)
{
    for (size_t j = 0; s->moments != NULL && j < s->n; j++)
        method_of(s)->feature(&s->moments[j], &s->shift[j], &s->factor[j]);
    free(s->moments);
    s->moments = NULL;
}

/* Bytes become floats. */
static int widen(struct builder *b, struct err *e)
{
    size_t n = b->n;
    b->kind = ROWS_DENSE;
    b->n = 0;
    if (builder_room(b, n, e) < 0)
        return -1;
    b->n = n;
    for (size_t i = 0; i < n * b->features; i++)
        b->x[i] = (float)b->bytes[i] * b->scale;
    b->scale = 1;
    return 0;
}

static void scale_features(const struct scaling *s, struct builder *b)
{
    size_t width = b->features < s->n ? b->features : s->n;
    if (b->kind == ROWS_SPARSE)
        for (size_t k = 0; k < b->entries; k++) {
            if ((size_t)b->indices[k] < s->n)
                b->values[k] = (float)((double)b->values[k] * s->factor[b->indices[k]]);
        }
    else
        for (size_t i = 0; i < b->n; i++) {
            float *x = b->x + i * b->features;
            for (size_t j = 0; j < width; j++)
                x[j] = (float)(((double)x[j] - s->shift[j]) * s->factor[j]);
        }
}

static void to_length_one(float *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)v[i] * (double)v[i];
    double factor = reciprocal(sqrt(sum));
    for (size_t i = 0; i < n; i++)
        v[i] = (float)((double)v[i] * factor);
}

static void scale_rows(struct builder *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->kind == ROWS_SPARSE)
            to_length_one(b->values + b->indptr[i], (size_t)(b->indptr[i + 1] - b->indptr[i]));
        else
            to_length_one(b->x + i * b->features, b->features);
}

int scaling_apply(const struct scaling *s, struct builder *b, struct err *e)
{
    const struct method *how = method_of(s);
    if (how == NULL || b->n == 0)
        return 0;
    if (how == &none) {
        b->scale = 1;
        return 0;
    }
    if (how->shifts && b->kind == ROWS_SPARSE)
        return err_set(e, ERR_DATA, "sparse rows; those that it is to be like were dense and scaled by %s",
                       how->plug.name);
    if (b->kind == ROWS_BYTES && widen(b, e) < 0)
        return -1;
    if (how->rows)
        scale_rows(b);
    else
        scale_features(s, b);
    return 0;
}

json_t *scaling_json(const struct scaling *s)
{
    json_t *json = json_pack("{s:s}", "method", s->method->name);
    if (method_of(s)->shifts)
        json_object_set_new(json, "shift", reals_json(s->shift, s->n));
    if (method_of(s)->feature != NULL)
        json_object_set_new(json, "factor", reals_json(s->factor, s->n));
    return json;
}

int scaling_parse(struct scaling *s, const json_t *json, struct err *e)
{
    const char *name = json_string_value(json_object_get(json, "method"));
    const json_t *shift = json_object_get(json, "shift"), *factor = json_object_get(json, "factor");
    if (json == NULL)
        return 0;
    for (size_t i = 0; name != NULL && rows[i] != NULL; i++)
        if (strcmp(rows[i]->name, name) == 0)
            s->method = rows[i];
    if (s->method == NULL)
        return err_set(e, ERR_DATA, "unknown scaling '%.40s'", name ? name : "");
    if (method_of(s)->feature == NULL)
        return 0;
    if (room(s, json_array_size(factor), e) < 0)
        return -1;
    if (s->n == 0 || !reals_take(s->factor, s->n, factor) ||
        (method_of(s)->shifts && !reals_take(s->shift, s->n, shift)))
        return err_set(e, ERR_DATA, "the numbers of its scaling '%s' are damaged", name);
    return 0;
}

void scaling_free(struct scaling *s)
{
    free(s->shift);
    free(s->factor);
    free(s->moments);
    *s = (struct scaling){ 0 };
}
