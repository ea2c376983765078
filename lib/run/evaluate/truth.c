/* The labels of data in the terms of a model: its class indices, or targets. */
#include "run/evaluate/truth.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { TOLD_MAX = 10 /* labels named one by one */, ADVICE = 128 };

/* Each row's label as an index, so that a model has to be asked once a label and not once a row. */
static int index_labels(struct truth *t, struct err *e)
{
    const struct dataset *d = t->data;
    t->label = mem_new(d->rows, sizeof *t->label, e);
    t->told = mem_new(d->classes.n, sizeof *t->told, e);
    if (t->label == NULL || t->told == NULL)
        return -1;
    for (size_t i = 0; i < d->rows; i++)
        t->label[i] = d->classes.named ? (size_t)d->labels[i]
                                       : (size_t)classes_find_value(&d->classes, d->labels[i]);
    return 0;
}

int truth_open(struct truth *t, const struct dataset *d, struct err *e)
{
    t->data = d;
    t->y = mem_new(d->rows, sizeof *t->y, e);
    if (t->y == NULL)
        return -1;
    return d->classes.targets ? 0 : index_labels(t, e);
}

void truth_close(struct truth *t)
{
    free(t->y);
    free(t->told);
    free(t->label);
    *t = (struct truth){ 0 };
}

static double class_or_nan(long index)
{
    return index < 0 ? NAN : (double)index;
}

/* Among words, numbers stand as they were spelled: they are still found by their value. */
static double class_of(const struct classes *model, const struct label *l, bool named)
{
    double value = l->value;
    struct err ignored = { 0 };
    if (model->named)
        return class_or_nan(classes_find_name(model, l->name));
    if (named && num_real(l->name, &value, &ignored) < 0)
        return NAN;
    return class_or_nan(classes_find_value(model, value));
}

/* What to do about a label that but for the mark at its end is one that the model knows. */
static void advise(const struct model *m, const struct label *l, char advice[ADVICE])
{
    size_t n = strlen(l->name);
    struct label shorter = { .name = n > 1 && n < ADVICE ? strcpy(advice, l->name) : NULL };
    if (shorter.name == NULL || !ispunct((unsigned char)l->name[n - 1])) {
        *advice = '\0';
        return;
    }
    advice[n - 1] = '\0';
    bool known = !isnan(class_of(&m->classes, &shorter, true));
    snprintf(advice, ADVICE, known ? " (--label-suffix '%c' leaves off its end)" : "", l->name[n - 1]);
}

static void tell(struct truth *t, const struct model *m, const double *class, const struct log *log)
{
    const struct classes *c = &t->data->classes;
    size_t unseen = 0;
    char advice[ADVICE];
    for (size_t i = 0; i < c->n; i++) {
        if (!isnan(class[i]) || t->told[i])
            continue;
        t->told[i] = true;
        if (++unseen > TOLD_MAX)
            continue;
        advise(m, &c->v[i], advice);
        log_note(log, "%s: label %s: the model never saw it; counted as wrong, without a loss%s", c->v[i].where,
                 c->v[i].name, advice);
    }
    if (unseen > TOLD_MAX)
        log_note(log, "%s: %zu more labels that the model never saw", t->data->name,
                 unseen - TOLD_MAX);
}

static int map_classes(struct truth *t, const struct model *m, const struct log *log, struct err *e)
{
    const struct classes *c = &t->data->classes;
    double *class = mem_new(c->n, sizeof *class, e);
    if (class == NULL)
        return -1;
    for (size_t i = 0; i < c->n; i++)
        class[i] = class_of(&m->classes, &c->v[i], c->named);
    for (size_t i = 0; i < t->data->rows; i++)
        t->y[i] = class[t->label[i]];
    tell(t, m, class, log);
    free(class);
    return 0;
}

/* Numbers without end: most of them no model of classes can have seen. */
static int map_targets(struct truth *t, const struct model *m, const struct log *log)
{
    size_t unseen = 0;
    for (size_t i = 0; i < t->data->rows; i++) {
        t->y[i] = class_or_nan(classes_find_value(&m->classes, t->data->labels[i]));
        unseen += isnan(t->y[i]) != 0;
    }
    if (unseen > 0 && !t->told_targets)
        log_note(log, "%s: labels that the model never saw in %zu rows; counted as wrong, "
                 "without a loss", t->data->name, unseen);
    t->told_targets = true;
    return 0;
}

int truth_for(struct truth *t, const struct model *m, const struct log *log, struct err *e)
{
    if (model_row(&m->spec)->target != TARGET_REAL)
        return t->label ? map_classes(t, m, log, e) : map_targets(t, m, log);
    memcpy(t->y, t->data->labels, t->data->rows * sizeof *t->y);
    return model_fits(&m->spec, &t->data->classes, true, e);
}
