/* What a run trains, by which rules, until when, and what it writes: told alike to the server and to the
 * simulator, and written into line 1 of the trace. */
#ifndef RUN_TRAIN_H
#define RUN_TRAIN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/opt.h"
#include "base/plug.h"
#include "learn/model.h"
#include "learn/optimizer.h"
#include "policy/policy.h"
#include "run/aggregate.h"
#include "run/correct.h"
#include "theory/adasync.h"

/* How often something is due: every so many updates, or every so many seconds; both 0: never. */
struct every {
    uint64_t updates;
    double seconds;
};

/* Texts are not owned. */
struct train_conf {
    struct spec model, policy, step, optimizer, init, correct;
    uint64_t batch, seed;
    uint64_t updates, passes; /* ends; 0: none */
    double seconds;           /* the same */
    double l1, l2, clip;      /* clip: largest norm of a gradient; 0: any */
    bool no_bias;
    struct every snapshots;
    const char *output, *trace; /* files, or NULL */
};

setter set_every; /* struct every: updates, or seconds when a unit of time is behind the number */

/* Option rows for how updates are made, for a conf with a struct train_conf at `member`. */
#define TRAIN_RULES_OPTS(conf, member)                                                             \
    { "step", 'e', "SPEC", "0.1", "step size, or 'help'", step_parse,                              \
      offsetof(struct conf, member.step), &step_table },                                           \
        { "optimizer", 'O', "SPEC", "sgd", "optimizer, or 'help'", NULL,                           \
          offsetof(struct conf, member.optimizer), &optimizer_table },                             \
        { "batch", 'b', "ROWS", "32", "rows of a minibatch", set_count,                            \
          offsetof(struct conf, member.batch), NULL },                                             \
        { "l2", 0, "LAMBDA", "0", "penalty of half LAMBDA times the squared weights", set_nonneg,  \
          offsetof(struct conf, member.l2), NULL },                                                \
        { "clip", 0, "NORM", NULL, "shorten gradients whose norm is larger than NORM",             \
          set_positive, offsetof(struct conf, member.clip), NULL },                                \
        { "correct", 0, "SPEC", NULL, "correction of stale gradients, or 'help'", NULL,            \
          offsetof(struct conf, member.correct), &correct_table },                                 \
        { "no-bias", 0, NULL, NULL, "train without a bias", set_flag,                              \
          offsetof(struct conf, member.no_bias), NULL },                                           \
        { "seed", 's', "SEED", "1", "seed of all random draws", set_whole,                         \
          offsetof(struct conf, member.seed), NULL },                                              \
    {                                                                                              \
        "init", 0, "SPEC", "model", "start parameters, a model's FILE, or 'help'", init_parse,     \
            offsetof(struct conf, member.init), &init_table                                        \
    }

/* The model's row, for the same. */
#define TRAIN_MODEL_OPT(conf, member)                                                              \
    {                                                                                              \
        "model", 'm', "SPEC", NULL, "model, or 'help'", NULL, offsetof(struct conf, member.model), \
            &model_table                                                                           \
    }

/* All of them. */
#define TRAIN_OPTS(conf, member)                                                                   \
    TRAIN_MODEL_OPT(conf, member),                                                                 \
        { "policy", 'p', "SPEC", "sync", "aggregation policy, or 'help'", NULL,                    \
          offsetof(struct conf, member.policy), &policy_table },                                   \
        TRAIN_RULES_OPTS(conf, member),                                                            \
        { "l1", 0, "LAMBDA", "0", "penalty of LAMBDA times the absolute weights, by shrinking them",\
          set_nonneg, offsetof(struct conf, member.l1), NULL },                                    \
        { "updates", 'J', "N", NULL, "end after N updates", set_count,                             \
          offsetof(struct conf, member.updates), NULL },                                           \
        { "time", 'T', "TIME", NULL, "end after TIME", set_period,                                 \
          offsetof(struct conf, member.seconds), NULL },                                           \
        { "passes", 'E', "N", NULL, "end when every worker has made N passes over its data",       \
          set_count, offsetof(struct conf, member.passes), NULL },                                 \
        { "output", 'o', "FILE", NULL, "write the final model to FILE", set_text,                  \
          offsetof(struct conf, member.output), NULL },                                            \
        { "snapshots", 'S', "EVERY", NULL,                                                         \
          "write models to standard output every 100 updates or 500ms", set_every,                 \
          offsetof(struct conf, member.snapshots), NULL },                                         \
    {                                                                                              \
        "trace", 't', "FILE", NULL, "write every event of the run to FILE", set_text,              \
            offsetof(struct conf, member.trace), NULL                                              \
    }

/* A model and an end must be there. ERR_USAGE. */
int train_check(const struct train_conf *c, const char *program, struct err *e);
/* Whether the policy can run with so many workers. */
int train_check_policy(const struct train_conf *c, uint64_t workers, struct err *e);

/* Minibatches that a worker of so many rows makes (aggregate_join's budget). */
uint64_t train_budget(const struct train_conf *c, uint64_t rows);
/* Why a run whose policy has ended has: a word for the trace. */
const char *train_why(const struct train_conf *c, uint64_t updates);

bool train_wants_snapshots(const struct train_conf *c);
/* stdout takes the snapshots, and without -o the final model. */
bool train_wants_stdout(const struct train_conf *c);
/* Whether the update that makes this iteration, or the start, is to be written; *next: seconds when the
 * next one is due, the caller's to keep, from 0. */
bool train_due(const struct train_conf *c, uint64_t iteration, double now, double *next);

/* How K follows the loss; NULL: the policy is none that does. */
const struct adapt *train_adapt(const struct train_conf *c);
/* Gives run the rule by which it does so, where it does: that of the workers' delays d; NULL: nobody
 * knows them, the closed rules. rule is zeroed, must outlive the run, and wants adasync_close. */
int train_rule(const struct train_conf *c, const struct delays *d, struct adasync *rule,
               struct policy_run *run, struct err *e);

/* The aggregate of a run by these rules, from w, or NULL: its start parameters. run: P, what becomes of K after a
 * loss, and train_rule's part of it, or K stays but for what it is told; keep_read as in aggregate_conf. c and layout must outlive it. NULL and e. */
struct aggregate *train_open(const struct train_conf *c, const struct layout *layout,
                             const struct policy_run *run, const float *w, bool keep_read,
                             struct trace_writer *trace, const struct aggregate_calls *calls,
                             void *self, struct err *e);

/* Its members in line 1 of a trace; a new reference, or NULL and e. */
json_t *train_describe(const struct train_conf *c, struct err *e);

/* Whether an option of this name was on the command line. */
typedef bool train_given(const void *self, const char *option);
/* Fills c from line 1 of a trace. What was given besides must be the same: else ERR_DATA, which names the
 * option and both values. */
int train_recall(struct train_conf *c, const json_t *meta, train_given *given, const void *self,
                 struct err *e);
/* The same for a run that goes on: its ends are those given, and the recorded ones only if none is. */
int train_resume(struct train_conf *c, const json_t *meta, train_given *given, const void *self,
                 struct err *e);
/* That a run goes on with these ends, as a note of the trace, and read back from there. ERR_DATA. */
enum { TRAIN_NOTE = 128 };
const char *train_note(const struct train_conf *c, char text[static TRAIN_NOTE]);
bool train_note_is(const char *text);
int train_note_take(struct train_conf *c, const char *text, struct err *e);

#endif
