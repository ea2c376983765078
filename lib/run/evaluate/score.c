/* What a model makes of the rows of a data set. */
#include "run/evaluate/score.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

/* Rows from..from + n of a part, without copying. */
static struct rows view(const struct rows *part, size_t from, size_t n)
{
    struct rows v = *part;
    v.n = n;
    if (part->kind == ROWS_DENSE)
        v.x += from * part->features;
    if (part->kind == ROWS_BYTES)
        v.bytes += from * part->features;
    if (part->kind == ROWS_SPARSE)
        v.indptr += from;
    return v;
}

int score_rows(const struct model *m, const struct dataset *d, score_sink *sink, void *self,
               struct err *e)
{
    size_t first = 0;
    float *s = NULL;
    struct gradient *g = gradient_open(&m->spec, &m->dims, e);
    if (g != NULL)
        s = mem_new(gradient_chunk(g) * gradient_outputs(g), sizeof *s, e);
    for (size_t i = 0; s != NULL && i < d->n_parts; i++)
        for (size_t at = 0, n; at < d->parts[i].n; at += n, first += n) {
            size_t left = d->parts[i].n - at, chunk = gradient_chunk(g);
            n = left < chunk ? left : chunk;
            struct rows block = view(&d->parts[i], at, n);
            gradient_scores(g, m->w, &block, s);
            sink(self, g, first, s, n);
        }
    int rc = s == NULL ? -1 : 0;
    free(s);
    gradient_close(g);
    return rc;
}

struct tally {
    const double *y;
    bool targets;
    double loss, error;
    size_t known;
};

static void count(void *self, const struct gradient *g, size_t first, const float *s, size_t n)
{
    struct tally *t = self;
    for (size_t r = 0; r < n; r++, s += gradient_outputs(g)) {
        double y = t->y[first + r], off = gradient_predict(g, s) - y;
        t->error += t->targets ? off * off : off != 0; /* NAN: wrong */
        if (isnan(y))
            continue;
        t->loss += gradient_loss(g, s, y);
        t->known++;
    }
}

int score_model(struct score *s, const struct model *m, const struct dataset *d, const double *y,
                struct err *e)
{
    struct tally t = { .y = y, .targets = model_row(&m->spec)->target == TARGET_REAL };
    if (score_rows(m, d, count, &t, e) < 0)
        return -1;
    *s = (struct score){ t.known ? t.loss / (double)t.known : NAN, t.error / (double)d->rows,
                         t.known };
    return 0;
}
