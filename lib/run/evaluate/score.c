/* What a model makes of the rows of a data set. */
#include "run/evaluate/score.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "run/evaluate/walk.h"

/* Scores on their way to a sink. */
struct scorer {
    struct gradient *g;
    const float *w;
    float *s; /* (chunk, C) */
    score_sink *sink;
    void *self;
};

static void score_block(void *self, const struct rows *block, size_t first)
{
    struct scorer *r = self;
    gradient_scores(r->g, r->w, block, r->s);
    r->sink(r->self, r->g, block, first, r->s);
}

int score_rows(const struct model *m, const struct dataset *d, score_sink *sink, void *self,
               struct err *e)
{
    struct scorer r = { .w = m->w, .sink = sink, .self = self };
    r.g = gradient_open(&m->spec, &m->dims, e);
    if (r.g != NULL)
        r.s = mem_new(gradient_chunk(r.g) * gradient_outputs(r.g), sizeof *r.s, e);
    if (r.s != NULL)
        walk_rows(d, NULL, gradient_chunk(r.g), score_block, &r);
    int rc = r.s == NULL ? -1 : 0;
    free(r.s);
    gradient_close(r.g);
    return rc;
}

struct tally {
    const double *y;
    struct outcome *outcome; /* or NULL */
    bool targets;
    double loss, error;
    double known, all; /* weights of the rows in them */
};

static void count(void *self, const struct gradient *g, const struct rows *block, size_t first, const float *s)
{
    struct tally *t = self;
    if (t->outcome != NULL)
        outcome_put(t->outcome, g, block, first, s);
    for (size_t r = 0; r < block->n; r++, s += gradient_outputs(g)) {
        double y = t->y[first + r], off = gradient_predict(g, s) - y, weight = rows_weight(block, r);
        t->error += weight * (t->targets ? off * off : off != 0); /* NAN: wrong */
        t->all += weight;
        if (isnan(y))
            continue;
        t->loss += weight * gradient_loss(g, s, y);
        t->known += weight;
    }
}

int score_model(struct score *s, const struct model *m, const struct dataset *d, const double *y,
                struct outcome *o, struct err *e)
{
    struct tally t = { .y = y, .outcome = o, .targets = model_row(&m->spec)->target == TARGET_REAL };
    if (score_rows(m, d, count, &t, e) < 0)
        return -1;
    *s = (struct score){ t.known > 0 ? t.loss / t.known : NAN, t.error / t.all, t.known > 0 };
    return 0;
}
