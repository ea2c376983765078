/* Weights of a model for other programs. */
#include "run/evaluate/export.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/out.h"
#include "data/npz_write.h"
#include "data/scaling.h"

/* A row of the table. */
struct exporter {
    struct plug plug;
    int (*write)(const struct model *m, const json_t *data, const struct log *log, struct err *e);
};

/* Linear models, and the solver of LIBLINEAR whose scores are of the same kind. */
static const struct linear_kind {
    const char *model, *solver;
} linear_kinds[] = {
    { "logistic", "L2R_LR" },
    { "softmax", "MCSVM_CS" },
    { "hinge", "L2R_L1LOSS_SVC_DUAL" },
    { "least-squares", "L2R_L2LOSS_SVR" },
};

/* Scores s = W x + b of rows as they are in the data: what scales them is in here. */
struct plain {
    size_t outputs, features;
    double *w; /* (outputs, features) */
    double *b; /* (outputs) */
    bool bias; /* some b is to be said */
};

static const struct linear_kind *kind_of(const struct model *m, const char *format, struct err *e)
{
    for (size_t i = 0; i < sizeof linear_kinds / sizeof linear_kinds[0]; i++)
        if (strcmp(linear_kinds[i].model, m->spec.plug->name) == 0)
            return &linear_kinds[i];
    err_set(e, ERR_USAGE, "--export %s: %s is no linear model: npz holds any", format, m->spec.plug->name);
    return NULL;
}

static void plain_free(struct plain *p)
{
    free(p->w);
    free(p->b);
}

/* (x - shift) * factor, put into weights and bias. */
static void fold(struct plain *p, const struct scaling *s)
{
    for (size_t c = 0; c < p->outputs; c++)
        for (size_t j = 0; j < p->features && j < s->n; j++) {
            double *w = &p->w[c * p->features + j];
            *w *= s->factor[j];
            p->b[c] -= *w * s->shift[j];
            p->bias |= s->shift[j] != 0;
        }
}

static int plain_open(struct plain *p, const struct model *m, const json_t *data, const struct log *log,
                      struct err *e)
{
    struct scaling s = { 0 };
    const struct part *w = &m->layout.parts[0];
    p->outputs = w->shape[0];
    p->features = m->dims.features;
    p->bias = m->dims.bias;
    p->w = mem_new(w->size, sizeof *p->w, e);
    p->b = p->w ? mem_new(p->outputs, sizeof *p->b, e) : NULL;
    if (p->b == NULL || scaling_parse(&s, json_object_get(data, "scaling"), e) < 0)
        return -1;
    for (size_t i = 0; i < w->size; i++)
        p->w[i] = (double)m->w[w->offset + i];
    for (size_t c = 0; p->bias && c < p->outputs; c++)
        p->b[c] = (double)m->w[m->layout.parts[1].offset + c];
    fold(p, &s);
    if (s.method != NULL && s.n == 0)
        log_note(log, "rows must be scaled as by --scale %s before these weights suit them", s.method->name);
    scaling_free(&s);
    return 0;
}

/* A cell of CSV: in quotes where it has to be. */
static void cell(const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

static void number(double v, char after)
{
    char text[NUM_TEXT];
    printf("%s%c", num_print_double(text, v), after);
}

static void csv_head(const struct plain *p, const json_t *data)
{
    bool hashed = json_object_get(data, "hash_bits") != NULL; /* columns are what was hashed, not features */
    const json_t *columns = hashed ? NULL : json_object_get(data, "columns"), *base = json_object_get(data, "base");
    json_int_t first = json_is_integer(base) ? json_integer_value(base) : 1;
    fputs("label,bias", stdout);
    for (size_t j = 0; j < p->features; j++) {
        const char *name = json_string_value(json_array_get(columns, j));
        putchar(',');
        if (name != NULL)
            cell(name);
        else
            printf("%jd", (intmax_t)(first + (json_int_t)j));
    }
    putchar('\n');
}

/* The class that a row of weights is for: of one row the second, which a positive score stands for. */
static const char *label_of(const struct model *m, const struct plain *p, size_t c)
{
    if (m->classes.n == 0)
        return "";
    return m->classes.v[p->outputs == 1 ? 1 : c].name;
}

static int write_csv(const struct model *m, const json_t *data, const struct log *log, struct err *e)
{
    struct plain p = { 0 };
    int status = kind_of(m, "csv", e) == NULL ? -1 : plain_open(&p, m, data, log, e);
    if (status == 0)
        csv_head(&p, data);
    for (size_t c = 0; status == 0 && c < p.outputs; c++) {
        cell(label_of(m, &p, c));
        putchar(',');
        number(p.b[c], p.features > 0 ? ',' : '\n');
        for (size_t j = 0; j < p.features; j++)
            number(p.w[c * p.features + j], j + 1 < p.features ? ',' : '\n');
    }
    plain_free(&p);
    return status;
}

/* LIBLINEAR reads labels as whole numbers. */
static bool whole_labels(const struct classes *c)
{
    bool whole = !c->named;
    for (size_t k = 0; whole && k < c->n; k++)
        whole = c->v[k].value == rint(c->v[k].value) && fabs(c->v[k].value) <= INT32_MAX;
    return whole;
}

/* Of two classes with one row of weights the positive one comes first. */
static void labels_line(const struct model *m, const struct plain *p, const struct log *log)
{
    const struct classes *c = &m->classes;
    bool whole = whole_labels(c);
    if (!whole)
        log_note(log, "labels are no whole numbers: they are written as 0 to %zu, in the order of dsgd-eval "
                 "--confusion", c->n - 1);
    fputs("label", stdout);
    for (size_t i = 0; i < c->n; i++) {
        size_t k = p->outputs == 1 ? c->n - 1 - i : i;
        printf(" %d", whole ? (int)c->v[k].value : (int)k);
    }
    putchar('\n');
}

static int write_liblinear(const struct model *m, const json_t *data, const struct log *log, struct err *e)
{
    struct plain p = { 0 };
    const struct linear_kind *kind = kind_of(m, "libsvm-weights", e);
    int status = kind == NULL ? -1 : plain_open(&p, m, data, log, e);
    if (status == 0) {
        printf("solver_type %s\nnr_class %zu\n", kind->solver, m->classes.n > 0 ? m->classes.n : 2);
        if (m->classes.n > 0)
            labels_line(m, &p, log);
        printf("nr_feature %zu\nbias %d\nw\n", p.features, p.bias ? 1 : -1);
        for (size_t j = 0; j < p.features + p.bias; j++) {
            for (size_t c = 0; c < p.outputs; c++)
                number(j < p.features ? p.w[c * p.features + j] : p.b[c], ' ');
            putchar('\n');
        }
    }
    plain_free(&p);
    return status;
}

/* Numbers that brought the rows to a common size, as tensors. Returns how many. */
static size_t scaling_tensors(const struct scaling *s, struct tensor *t)
{
    if (s->n == 0)
        return 0;
    t[0] = (struct tensor){ "scaling.shift", DTYPE_F64, 1, { s->n }, s->shift };
    t[1] = (struct tensor){ "scaling.factor", DTYPE_F64, 1, { s->n }, s->factor };
    return 2;
}

static int write_npz(const struct model *m, const json_t *data, const struct log *log, struct err *e)
{
    struct tensor t[LAYOUT_PARTS + 2];
    struct scaling s = { 0 };
    struct out o = { 0 };
    (void)log;
    const char **names = mem_new(m->classes.n + 1, sizeof *names, e);
    int status = names == NULL ? -1 : scaling_parse(&s, json_object_get(data, "scaling"), e);
    for (size_t k = 0; status == 0 && k < m->classes.n; k++)
        names[k] = m->classes.v[k].name;
    size_t n = model_tensors(&m->layout, m->w, t);
    n += scaling_tensors(&s, t + n);
    struct npz_texts texts = { "classes", names, m->classes.n };
    if (status == 0)
        status = out_open(&o, "-", e);
    if (status == 0)
        status = npz_write(&o, t, n, m->classes.n > 0 ? &texts : NULL, e);
    if (status == 0)
        status = out_commit(&o, e);
    out_abort(&o);
    free(names);
    scaling_free(&s);
    return status;
}

static const struct exporter as_npz = {
    { .name = "npz", .help = "NumPy arrays: the tensors, names of classes, numbers of a scaling" }, write_npz
};
static const struct exporter as_csv = {
    { .name = "csv", .help = "of a linear model, for rows that are not scaled: a row for each class" }, write_csv
};
static const struct exporter as_liblinear = {
    { .name = "libsvm-weights", .help = "of a linear model: a model that LIBLINEAR's predict reads" },
    write_liblinear
};
static const struct plug *const rows[] = { &as_npz.plug, &as_csv.plug, &as_liblinear.plug, NULL };
const struct table export_table = { "export", rows };

int export_model(const struct spec *format, const struct model *m, const struct log *log, struct err *e)
{
    const char *text = meta_text(m->meta, "data");
    json_t *data = text ? json_loads(text, 0, NULL) : NULL;
    int status = ((const struct exporter *)format->plug)->write(m, data, log, e);
    json_decref(data);
    if (status == 0 && (fflush(stdout) != 0 || ferror(stdout)))
        return err_sys(e, "<stdout>");
    return status;
}
