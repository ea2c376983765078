/* dsgd-eval: scores or applies a model, or every model of a stream. */
#include <math.h>
#include <stddef.h>

#include "base/opt.h"
#include "base/set.h"
#include "data/dataset.h"
#include "run/evaluate/evaluate.h"
#include "run/evaluate/export.h"
#include "run/evaluate/measure.h"

static const struct opt opts[] = {
    { "model", 'm', "FILE", NULL, "the model to score (default: a stream of models on stdin)",
      set_text, offsetof(struct evaluate, model), NULL },
    { "predict", 0, NULL, NULL, "print the model's label for each row of data", set_flag,
      offsetof(struct evaluate, predict), NULL },
    { "scores", 0, "NAME,...", NULL, "more columns beside loss and error, or 'help'", set_texts,
      offsetof(struct evaluate, scores), &measure_table },
    { "proba", 0, NULL, NULL, "print the chance of every class for each row of data", set_flag,
      offsetof(struct evaluate, proba), NULL },
    { "confusion", 0, NULL, NULL, "print which classes are taken for which", set_flag,
      offsetof(struct evaluate, confusion), NULL },
    { "export", 0, "FORMAT", NULL, "write the model's weights for other programs, or 'help'", NULL,
      offsetof(struct evaluate, export), &export_table },
    { "constants", 0, NULL, NULL, "print what dsgd-plan wants to know of the objective", set_flag,
      offsetof(struct evaluate, constants), NULL },
    { "l2", 0, "LAMBDA", NULL, "--constants: penalty as in dsgd-ps, where it is not the model's own",
      set_nonneg, offsetof(struct evaluate, l2), NULL },
    INPUT_OPTS(evaluate, input),
    { "json", 0, NULL, NULL, "print JSON Lines instead of TSV", set_flag,
      offsetof(struct evaluate, json), NULL },
    { "timeout", 0, "DURATION", "10m", "give up when no more of a model comes for that long",
      set_duration, offsetof(struct evaluate, timeout), NULL },
    { 0 },
};

static const struct program self = {
    .name = "dsgd-eval",
    .synopsis = "[OPTION]... [-m MODEL] DATA...",
    .purpose = "Score models on data: a row with iteration, time, loss and error for each.",
    .opts = opts,
    .log = offsetof(struct evaluate, log),
};

int main(int argc, char **argv)
{
    struct evaluate conf = { .l2 = NAN };
    struct err e = { 0 };
    int first;
    if (opt_parse(&self, argc, argv, &conf, &first, &e) == 0)
        evaluate(&conf, argv + first, (size_t)(argc - first), &e);
    opt_free(&self, &conf);
    return err_exit(&e, self.name);
}
