/* dsgd-eval: what models are worth on data, a row each as soon as it came, or one model's labels. */
#include "run/evaluate/evaluate.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/tsv.h"
#include "learn/gradient.h"
#include "learn/model.h"
#include "run/evaluate/confusion.h"
#include "run/evaluate/constants.h"
#include "run/evaluate/export.h"
#include "run/evaluate/measure.h"
#include "run/evaluate/predict.h"
#include "run/evaluate/score.h"
#include "run/evaluate/truth.h"
#include "run/shape.h"

struct run;

/* What can be asked of one model instead of scores. */
struct answer {
    const char *option;
    const char *why;  /* it needs --model */
    bool unlabelled;  /* rows need no labels */
    bool no_data;     /* there must be none */
    bool (*asked)(const struct evaluate *c);
    int (*give)(struct run *r, const struct model *m, struct err *e);
};

/* One run. The data are read when the first model says how wide they may be. */
struct run {
    const struct evaluate *c;
    char *const *paths;
    size_t n_paths;
    int fd;           /* where models come from */
    const char *name; /* of that, for messages */
    size_t models;    /* read so far */
    uint64_t features;
    struct dataset data;
    struct truth truth;
    const struct answer *answer; /* what is asked instead of scores, or NULL */
    struct measures measures;
    const char *columns[4 + MEASURES_MAX + 1];
    struct tsv tsv;
    uint64_t diverged; /* iteration of the first model whose loss is not finite */
};

/* Names of columns that both know must be the same at the same places. */
static int same_columns(const struct run *r, const json_t *learned, struct err *e)
{
    const char *is, *was;
    size_t column = shape_other_column(r->data.meta, learned, &is, &was);
    if (column == 0)
        return 0;
    return err_set(e, ERR_DATA, "%s: feature %zu is '%.100s', the model learned from '%.100s'",
                   r->data.name, column, is, was);
}

/* Indices of raw data start where the model's did, or where an option says; those of shards stay. */
static int same_base(const struct run *r, const json_t *learned, struct err *e)
{
    const json_t *was = json_object_get(learned, "base");
    const json_t *is = json_object_get(r->data.meta, "base");
    if (r->c->input.zero_based || !json_is_integer(was) || !json_is_integer(is) ||
        json_equal(was, is))
        return 0;
    return err_set(e, ERR_DATA, "%s: its indices start at %d, those the model learned from at %d",
                   r->data.name, (int)json_integer_value(is), (int)json_integer_value(was));
}

/* Of a model that only its program can compute with, what is known is its own last loss. */
static int check_known(const struct run *r, const struct model *m, struct err *e)
{
    const char *loss = meta_text(m->meta, "loss");
    if (gradient_known(&m->spec, e) == 0)
        return 0;
    if (gradient_idle(&m->spec))
        return err_ctx(e, "%s", r->name);
    struct err why = *e;
    return err_set(e, ERR_USAGE, "%s: %.600s; the loss of its last minibatches was %.40s, that of other data is told by "
                   "a run of one update (see dsgd-eval(1))", r->name, why.text, loss == NULL ? "NA" : loss);
}

static int read_data(struct run *r, const struct model *m, struct err *e)
{
    if (check_known(r, m, e) < 0)
        return -1;
    struct input input = r->c->input;
    const char *like = meta_text(m->meta, "data");
    json_t *meta = like ? json_loads(like, 0, NULL) : NULL;
    input.like = meta;
    input.unlabelled = r->answer != NULL && r->answer->unlabelled;
    r->features = m->dims.features;
    int rc = dataset_read(&r->data, r->paths, r->n_paths, &input, r->features, &r->c->log, e);
    if (rc == 0 && (same_columns(r, meta, e) < 0 || same_base(r, meta, e) < 0 ||
                    shape_same_image(r->data.meta, r->data.name, meta, "the model", e) < 0 ||
                    shape_same_scaling(r->data.meta, r->data.name, meta, "the model", e) < 0))
        rc = -1;
    if (rc == 0)
        shape_tell_bytes(r->data.meta, r->data.name, meta, "the model", &r->c->log);
    json_decref(meta);
    return rc < 0 ? -1 : truth_open(&r->truth, &r->data, e);
}

/* 1: m is the next model. 0: there are no more. */
static int next_model(struct run *r, struct model *m, struct err *e)
{
    struct record record;
    int rc = record_read_within(&record, r->fd, r->c->timeout, e);
    if (rc > 0 && model_read(m, &record, e) < 0)
        rc = -1;
    record_free(&record);
    if (rc < 0)
        return r->c->model ? err_ctx(e, "%s", r->name)
                           : err_ctx(e, "%s: model %zu", r->name, r->models + 1);
    if (rc > 0)
        r->models++;
    return rc;
}

/* Data that were cut to one width are no measure for a model of another. */
static int ready_data(struct run *r, const struct model *m, struct err *e)
{
    if (r->models == 1)
        return read_data(r, m, e);
    if (m->dims.features == r->features)
        return 0;
    return err_set(e, ERR_DATA, "%s: model %zu has %ju features, the first had %ju: use -m for it",
                   r->name, r->models, (uintmax_t)m->dims.features, (uintmax_t)r->features);
}

/* What was measured of a model; what needs all rows at once comes from the outcome. */
static int print_scores(struct run *r, const struct model *m, const struct score *s, const struct outcome *o,
                        struct err *e)
{
    tsv_whole(&r->tsv, m->iteration);
    tsv_real(&r->tsv, m->time);
    tsv_real(&r->tsv, s->loss);
    tsv_real(&r->tsv, s->error);
    for (size_t i = 0; i < r->measures.n; i++) {
        double value;
        if (measure_value(r->measures.v[i], o, s->loss, &value, e) < 0)
            return -1;
        tsv_real(&r->tsv, value);
    }
    tsv_end(&r->tsv);
    tsv_flush(&r->tsv);
    return 0;
}

static void open_scores(struct run *r)
{
    static const char *const fixed[] = { "iteration", "time", "loss", "error" };
    enum { FIXED = sizeof fixed / sizeof fixed[0] };
    for (size_t i = 0; i < FIXED; i++)
        r->columns[i] = fixed[i];
    for (size_t i = 0; i < r->measures.n; i++)
        r->columns[FIXED + i] = r->measures.v[i]->name;
    tsv_open(&r->tsv, stdout, r->c->json, "dsgd-eval/1", r->columns);
}

static int score_row(struct run *r, const struct model *m, struct err *e)
{
    struct score s;
    struct outcome outcome = { 0 }, *o = r->measures.n > 0 ? &outcome : NULL;
    int rc = truth_for(&r->truth, m, &r->c->log, e);
    if (rc == 0 && o != NULL)
        rc = outcome_open(o, m, &r->data, r->truth.y, e);
    if (rc == 0)
        rc = score_model(&s, m, &r->data, r->truth.y, o, e);
    if (rc == 0 && r->tsv.out == NULL)
        open_scores(r);
    if (rc == 0)
        rc = print_scores(r, m, &s, o, e);
    outcome_free(&outcome);
    if (rc < 0)
        return -1;
    if (ferror(stdout)) /* where SIGPIPE is ignored, too, a reader that left ends the stream */
        return err_sys(e, "<stdout>");
    if (s.known && !isfinite(s.loss) && r->diverged == UINT64_MAX)
        r->diverged = m->iteration;
    return 0;
}

/* The stream: a row for each model as soon as it came. */
static int score_stream(struct run *r, struct err *e)
{
    int rc;
    struct model m = { 0 };
    while ((rc = next_model(r, &m, e)) > 0) {
        if (ready_data(r, &m, e) < 0 || score_row(r, &m, e) < 0) {
            model_free(&m);
            return -1;
        }
        model_free(&m);
    }
    if (rc == 0 && r->models == 0)
        return err_set(e, ERR_DATA, "%s: no model", r->name);
    return rc;
}

static int expect_end(struct run *r, struct err *e)
{
    struct model other = { 0 };
    int rc = next_model(r, &other, e);
    model_free(&other);
    if (rc <= 0)
        return rc;
    return err_set(e, ERR_DATA, "%s: more than one model: to score each, give them on standard input",
                   r->name);
}

static bool asks_predict(const struct evaluate *c) { return c->predict; }
static bool asks_proba(const struct evaluate *c) { return c->proba; }
static bool asks_confusion(const struct evaluate *c) { return c->confusion; }
static bool asks_constants(const struct evaluate *c) { return c->constants; }
static bool asks_export(const struct evaluate *c) { return c->export.plug != NULL; }

static int give_labels(struct run *r, const struct model *m, struct err *e)
{
    return predict(m, &r->data, r->c->json, e);
}

static int give_chances(struct run *r, const struct model *m, struct err *e)
{
    return predict_chances(m, &r->data, r->c->json, e);
}

static int give_confusion(struct run *r, const struct model *m, struct err *e)
{
    struct score s;
    struct outcome o = { 0 };
    int rc = truth_for(&r->truth, m, &r->c->log, e);
    if (rc == 0)
        rc = outcome_open(&o, m, &r->data, r->truth.y, e);
    if (rc == 0)
        rc = score_model(&s, m, &r->data, r->truth.y, &o, e);
    if (rc == 0)
        rc = confusion(m, &o, r->c->json, e);
    outcome_free(&o);
    return rc;
}

static int give_constants(struct run *r, const struct model *m, struct err *e)
{
    struct constants_conf conf = { r->c->l2, r->c->json, &r->c->log };
    if (truth_for(&r->truth, m, &r->c->log, e) < 0)
        return -1;
    return constants(&conf, m, &r->data, r->truth.y, e);
}

static int give_weights(struct run *r, const struct model *m, struct err *e)
{
    return export_model(&r->c->export, m, &r->c->log, e);
}

static const struct answer answers[] = {
    { "--predict", "labels of a stream of models would not tell which model they are from", true, false,
      asks_predict, give_labels },
    { "--proba", "chances of a stream of models would not tell which model they are from", true, false,
      asks_proba, give_chances },
    { "--confusion", "it is of one model", false, false, asks_confusion, give_confusion },
    { "--constants", "it is of one model", false, false, asks_constants, give_constants },
    { "--export", "it writes one model", true, true, asks_export, give_weights },
};
enum { ANSWERS = sizeof answers / sizeof answers[0] };

static int use_one(struct run *r, struct err *e)
{
    struct model m = { 0 };
    int rc = next_model(r, &m, e);
    if (rc == 0)
        return err_set(e, ERR_DATA, "%s: no model", r->name);
    if (rc > 0)
        rc = expect_end(r, e);
    if (rc == 0 && (r->answer == NULL || !r->answer->no_data))
        rc = read_data(r, &m, e);
    if (rc == 0)
        rc = r->answer != NULL ? r->answer->give(r, &m, e) : score_row(r, &m, e);
    model_free(&m);
    return rc;
}

/* The one answer that is asked for instead of scores, if any. */
static int find_answer(struct run *r, struct err *e)
{
    const struct evaluate *c = r->c;
    for (size_t i = 0; i < ANSWERS; i++) {
        if (!answers[i].asked(c))
            continue;
        if (r->answer != NULL)
            return err_set(e, ERR_USAGE, "%s or %s, not both", answers[i].option, r->answer->option);
        r->answer = &answers[i];
    }
    if (r->answer != NULL && c->model == NULL)
        return err_set(e, ERR_USAGE, "%s needs --model: %s", r->answer->option, r->answer->why);
    if (r->answer != NULL && c->scores.n > 0)
        return err_set(e, ERR_USAGE, "%s or --scores, not both", r->answer->option);
    return measures_parse(&r->measures, &c->scores, e);
}

/* What no single option can tell. */
static int check_usage(struct run *r, char *const *paths, size_t n, struct err *e)
{
    const struct evaluate *c = r->c;
    bool models_on_stdin = c->model == NULL || strcmp(c->model, "-") == 0;
    if (find_answer(r, e) < 0)
        return -1;
    bool no_data = r->answer != NULL && r->answer->no_data;
    if (no_data && n > 0)
        return err_set(e, ERR_USAGE, "%s: %s writes the model alone, it takes no data", paths[0],
                       r->answer->option);
    if (!no_data && n == 0)
        return err_set(e, ERR_USAGE, "no data: name at least one file (see dsgd-eval --help)");
    if (!c->constants && !isnan(c->l2))
        return err_set(e, ERR_USAGE, "--l2 goes with --constants: loss and error are without penalty");
    for (size_t i = 0; models_on_stdin && i < n; i++)
        if (strcmp(paths[i], "-") == 0)
            return err_set(e, ERR_USAGE, "-: standard input holds the models: name a file of data, "
                           "or one of models by --model");
    if (models_on_stdin && isatty(STDIN_FILENO))
        return err_set(e, ERR_USAGE, "no model: give --model, or models on standard input, which "
                       "is a terminal");
    return 0;
}

static int open_models(struct run *r, struct err *e)
{
    const char *path = r->c->model;
    r->fd = STDIN_FILENO;
    r->name = "<stdin>";
    if (path == NULL || strcmp(path, "-") == 0)
        return 0;
    r->name = path;
    r->fd = open(path, O_RDONLY | O_CLOEXEC);
    return r->fd < 0 ? err_sys(e, "%s", path) : 0;
}

static void close_run(struct run *r)
{
    truth_close(&r->truth);
    dataset_free(&r->data);
    if (r->fd != STDIN_FILENO)
        close(r->fd);
}

int evaluate(const struct evaluate *c, char *const *paths, size_t n, struct err *e)
{
    struct run r = { .c = c, .paths = paths, .n_paths = n, .diverged = UINT64_MAX };
    if (check_usage(&r, paths, n, e) < 0 || open_models(&r, e) < 0)
        return -1;
    int rc = c->model ? use_one(&r, e) : score_stream(&r, e);
    close_run(&r);
    if (rc == 0 && r.diverged != UINT64_MAX)
        return err_set(e, ERR_NO, "iteration %ju: the loss is not finite", (uintmax_t)r.diverged);
    return rc;
}
