/* Which classes a model takes for which. */
#include "run/evaluate/confusion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/tsv.h"

static const char *const fixed[] = { "label", "rows", "predicted", "correct", "precision", "recall", "f1" };
enum { FIXED = sizeof fixed / sizeof fixed[0] };

/* What is counted. cells (C + 1, C): of labels by predictions, the last row those the model never saw. */
struct matrix {
    const struct model *model;
    size_t classes;
    double *cells;
    struct tally_class *tally; /* (C) */
    char **columns;            /* ends with NULL; those from FIXED on owned */
};

static int open_matrix(struct matrix *x, const struct model *m, const struct outcome *o, struct err *e)
{
    size_t n = o->classes;
    *x = (struct matrix){ .model = m, .classes = n };
    x->cells = mem_new((n + 1) * n, sizeof *x->cells, e);
    x->tally = x->cells ? outcome_tally(o, e) : NULL;
    x->columns = x->tally ? mem_new(FIXED + n + 1, sizeof *x->columns, e) : NULL;
    if (x->columns == NULL)
        return -1;
    for (size_t i = 0; i < FIXED; i++)
        x->columns[i] = (char *)fixed[i];
    for (size_t k = 0; k < n; k++)
        if ((x->columns[FIXED + k] = mem_print(e, "as=%s", m->classes.v[k].name)) == NULL)
            return -1;
    for (size_t i = 0; i < o->rows; i++) {
        size_t label = isnan(o->y[i]) ? n : (size_t)o->y[i];
        x->cells[label * n + (size_t)o->predicted[i]] += (double)o->weight[i];
    }
    return 0;
}

static void close_matrix(struct matrix *x)
{
    for (size_t k = 0; x->columns != NULL && k < x->classes; k++)
        free(x->columns[FIXED + k]);
    free(x->columns);
    free(x->tally);
    free(x->cells);
}

static double part(double of, double all)
{
    return all > 0 ? of / all : NAN;
}

static void print_cells(struct tsv *t, const struct matrix *x, size_t label)
{
    for (size_t k = 0; k < x->classes; k++)
        tsv_real(t, x->cells[label * x->classes + k]);
    tsv_end(t);
}

static void print_class(struct tsv *t, const struct matrix *x, size_t k)
{
    const struct tally_class *c = &x->tally[k];
    tsv_text(t, x->model->classes.v[k].name);
    tsv_real(t, c->rows);
    tsv_real(t, c->predicted);
    tsv_real(t, c->correct);
    tsv_real(t, part(c->correct, c->predicted));
    tsv_real(t, part(c->correct, c->rows));
    tsv_real(t, tally_f1(c));
    print_cells(t, x, k);
}

/* Labels that are none of the model's: nothing can be predicted as one of them. */
static void print_unknown(struct tsv *t, const struct matrix *x)
{
    double rows = 0;
    for (size_t k = 0; k < x->classes; k++)
        rows += x->cells[x->classes * x->classes + k];
    if (rows == 0)
        return;
    tsv_text(t, NULL);
    tsv_real(t, rows);
    tsv_real(t, 0);
    tsv_real(t, 0);
    tsv_real(t, NAN);
    tsv_real(t, 0);
    tsv_real(t, 0);
    print_cells(t, x, x->classes);
}

int confusion(const struct model *m, const struct outcome *o, bool json, struct err *e)
{
    struct matrix x = { 0 };
    struct tsv t;
    if (o->classes == 0)
        return err_set(e, ERR_USAGE, "--confusion: %s has targets, not classes", m->spec.plug->name);
    int status = open_matrix(&x, m, o, e);
    if (status == 0) {
        tsv_open(&t, stdout, json, "dsgd-eval-confusion/1", (const char *const *)x.columns);
        for (size_t k = 0; k < x.classes; k++)
            print_class(&t, &x, k);
        print_unknown(&t, &x);
    }
    close_matrix(&x);
    return status;
}
