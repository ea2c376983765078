/* What a model made of every row of the data. */
#include "run/evaluate/outcome.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

int outcome_open(struct outcome *o, const struct model *m, const struct dataset *d, const double *y,
                 struct err *e)
{
    enum target target = model_row(&m->spec)->target;
    *o = (struct outcome){ .rows = d->rows, .y = y };
    o->chances = gradient_has_chances(&m->spec);
    o->classes = target == TARGET_REAL ? 0 : m->classes.n;
    o->liked_n = target == TARGET_REAL ? 0 : o->chances ? o->classes : 1;
    o->predicted = mem_new(o->rows, sizeof *o->predicted, e);
    o->weight = o->predicted ? mem_new(o->rows, sizeof *o->weight, e) : NULL;
    o->liked = o->weight ? mem_new(o->rows, (o->liked_n + 1) * sizeof *o->liked, e) : NULL;
    return o->liked == NULL ? -1 : 0;
}

void outcome_put(struct outcome *o, const struct gradient *g, const struct rows *block, size_t first,
                 const float *s)
{
    size_t outputs = gradient_outputs(g);
    for (size_t r = 0; r < block->n; r++, s += outputs) {
        double *liked = o->liked + (first + r) * o->liked_n;
        o->predicted[first + r] = gradient_predict(g, s);
        o->weight[first + r] = (float)rows_weight(block, r);
        if (o->chances)
            gradient_chances(g, s, liked);
        else if (o->liked_n > 0)
            liked[0] = s[0];
    }
}

void outcome_free(struct outcome *o)
{
    free(o->predicted);
    free(o->weight);
    free(o->liked);
    *o = (struct outcome){ 0 };
}

struct tally_class *outcome_tally(const struct outcome *o, struct err *e)
{
    struct tally_class *t = mem_new(o->classes, sizeof *t, e);
    for (size_t i = 0; t != NULL && i < o->rows; i++) {
        size_t said = (size_t)o->predicted[i];
        t[said].predicted += (double)o->weight[i];
        if (isnan(o->y[i]))
            continue;
        t[(size_t)o->y[i]].rows += (double)o->weight[i];
        if ((size_t)o->y[i] == said)
            t[said].correct += (double)o->weight[i];
    }
    return t;
}

double tally_f1(const struct tally_class *t)
{
    return t->rows + t->predicted > 0 ? 2 * t->correct / (t->rows + t->predicted) : NAN;
}
