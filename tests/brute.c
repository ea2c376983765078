/* brute WORKERS STEP BATCH TARGET LIMIT FIRST COUNT DELAY... -- SHARD...: seconds to the target of each policy
 * named on standard input, a line for each of COUNT seeds from FIRST on; who is not there after LIMIT
 * seconds counts as that. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "run/plan/lap.h"

struct brute {
    struct train_conf train;
    struct log log;
    struct text_list delays;
    struct delays laws;
    struct crew crew;
    double target, limit;
    uint64_t workers, first, count;
};

static int read_all(struct brute *b, int argc, char **argv, struct err *e)
{
    static const struct input input = { .only = NULL };
    struct train_conf *t = &b->train;
    int at = 8;
    if (argc < 10 || num_whole(argv[1], &b->workers, e) < 0 || step_parse(&t->step, argv[2], e) < 0 ||
        num_whole(argv[3], &t->batch, e) < 0 || num_real(argv[4], &b->target, e) < 0 ||
        num_real(argv[5], &b->limit, e) < 0 || num_whole(argv[6], &b->first, e) < 0 ||
        num_whole(argv[7], &b->count, e) < 0)
        return err_set(e, ERR_USAGE, "usage: see tests/brute.c");
    for (; at < argc && strcmp(argv[at], "--") != 0; at++)
        if (set_list(&b->delays, argv[at], e) < 0)
            return -1;
    b->crew = (struct crew){ .conf = t, .log = &b->log };
    if (spec_parse(&t->model, &model_table, "softmax", e) < 0 ||
        spec_parse(&t->optimizer, &optimizer_table, "sgd", e) < 0 ||
        spec_parse(&t->init, &init_table, "zero", e) < 0 ||
        delays_open(&b->laws, &b->delays, b->workers, e) < 0 ||
        crew_read(&b->crew, argv + at + 1, (size_t)(argc - at - 1), &input, e) < 0 ||
        crew_place(&b->crew, b->workers, e) < 0)
        return -1;
    return crew_start(&b->crew, e);
}

static int try(struct brute *b, const char *text, struct err *e)
{
    struct lap_conf conf = {
        .train = &b->train, .delays = &b->laws, .crew = &b->crew, .target = b->target, .stop = INFINITY
    };
    struct spec policy = { 0 };
    struct lap lap;
    int status = spec_parse(&policy, &policy_table, text, e);
    for (uint64_t seed = b->first; seed < b->first + b->count && status == 0; seed++) {
        status = lap_run(&lap, &conf, &policy, seed, 0, b->limit, e);
        if (status == 0)
            printf("%s\t%.9g\n", text, lap.reached ? lap.seconds : b->limit);
    }
    spec_free(&policy);
    return status;
}

int main(int argc, char **argv)
{
    struct brute b = { .log = { .name = "brute", .level = -1 } };
    struct err e = { 0 };
    char policy[100];
    int status = read_all(&b, argc, argv, &e);
    while (status == 0 && fgets(policy, sizeof policy, stdin) != NULL) {
        policy[strcspn(policy, "\n")] = '\0';
        status = try(&b, policy, &e);
    }
    crew_close(&b.crew);
    delays_close(&b.laws);
    free(b.delays.v);
    spec_free(&b.train.step);
    spec_free(&b.train.model);
    spec_free(&b.train.optimizer);
    spec_free(&b.train.init);
    return err_exit(&e, "brute");
}
