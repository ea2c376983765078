/* What a model says about rows: a label a line. */
#include "run/evaluate/predict.h"

#include <stdio.h>

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
    tsv_open(&row, stdout, true, columns);
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
