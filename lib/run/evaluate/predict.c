/* What a model says about rows: a label a line, or the chances of the classes. */
#include "run/evaluate/predict.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/tsv.h"
#include "run/evaluate/score.h"

static void class_lines(void *self, const struct gradient *g, const struct rows *block, size_t first,
                        const float *s)
{
    const struct model *m = self;
    (void)first;
    for (size_t r = 0; r < block->n; r++, s += gradient_outputs(g))
        puts(m->classes.v[(size_t)gradient_predict(g, s)].name);
}

static void target_lines(void *self, const struct gradient *g, const struct rows *block, size_t first,
                        const float *s)
{
    char text[NUM_TEXT];
    (void)self, (void)first;
    for (size_t r = 0; r < block->n; r++, s += gradient_outputs(g))
        puts(num_print_float(text, (float)gradient_predict(g, s)));
}

/* The line as a row of one column. */
static struct tsv json_row(void)
{
    static const char *const columns[] = { "label", NULL };
    struct tsv row;
    tsv_open(&row, stdout, true, "dsgd-eval-predict/1", columns);
    return row;
}

static void class_json(void *self, const struct gradient *g, const struct rows *block, size_t first,
                        const float *s)
{
    const struct model *m = self;
    struct tsv row = json_row();
    (void)first;
    for (size_t r = 0; r < block->n; r++, s += gradient_outputs(g)) {
        tsv_text(&row, m->classes.v[(size_t)gradient_predict(g, s)].name);
        tsv_end(&row);
    }
}

static void target_json(void *self, const struct gradient *g, const struct rows *block, size_t first,
                        const float *s)
{
    struct tsv row = json_row();
    (void)self, (void)first;
    for (size_t r = 0; r < block->n; r++, s += gradient_outputs(g)) {
        tsv_float(&row, (float)gradient_predict(g, s));
        tsv_end(&row);
    }
}

int predict(const struct model *m, const struct dataset *d, bool json, struct err *e)
{
    static score_sink *const sinks[2][2] = { { class_lines, target_lines },
                                             { class_json, target_json } };
    bool targets = model_row(&m->spec)->target == TARGET_REAL;
    struct model *self = (struct model *)m; /* sinks read it only */
    return score_rows(m, d, sinks[json][targets], self, e);
}

/* Rows on their way out. */
struct chances {
    const struct model *model;
    struct tsv tsv;
    char **columns; /* label, p=NAME ...; ends with NULL; but for the first owned */
    double *p;      /* (classes) */
};

static void chance_rows(void *self, const struct gradient *g, const struct rows *block, size_t first,
                        const float *s)
{
    struct chances *c = self;
    const struct classes *classes = &c->model->classes;
    (void)first;
    for (size_t r = 0; r < block->n; r++, s += gradient_outputs(g)) {
        gradient_chances(g, s, c->p);
        tsv_text(&c->tsv, classes->v[(size_t)gradient_predict(g, s)].name);
        for (size_t k = 0; k < classes->n; k++)
            tsv_float(&c->tsv, (float)c->p[k]);
        tsv_end(&c->tsv);
    }
}

static int open_chances(struct chances *c, struct err *e)
{
    static char label[] = "label";
    size_t n = c->model->classes.n;
    c->p = mem_new(n, sizeof *c->p, e);
    c->columns = c->p ? mem_new(n + 2, sizeof *c->columns, e) : NULL;
    if (c->columns == NULL)
        return -1;
    c->columns[0] = label;
    for (size_t k = 0; k < n; k++)
        if ((c->columns[k + 1] = mem_print(e, "p=%s", c->model->classes.v[k].name)) == NULL)
            return -1;
    return 0;
}

int predict_chances(const struct model *m, const struct dataset *d, bool json, struct err *e)
{
    struct chances c = { .model = m };
    if (!gradient_has_chances(&m->spec))
        return err_set(e, ERR_USAGE, "--proba: %s knows no chances of classes", m->spec.plug->name);
    int status = open_chances(&c, e);
    if (status == 0) {
        tsv_open(&c.tsv, stdout, json, "dsgd-eval-proba/1", (const char *const *)c.columns);
        status = score_rows(m, d, chance_rows, &c, e);
    }
    for (size_t k = 0; c.columns != NULL && k < m->classes.n; k++)
        free(c.columns[k + 1]);
    free(c.columns);
    free(c.p);
    return status;
}
