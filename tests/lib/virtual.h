/* A virtual clock around the aggregate: workers whose minibatches take just their injected delay.
 *
 * For tests alone: what a run's own draws say that it should take, and what bits it should end in. */
#ifndef TESTS_VIRTUAL_H
#define TESTS_VIRTUAL_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "delay/delay.h"
#include "run/aggregate.h"
#include "run/correct.h"

enum { VIRTUAL_WORKERS = 64 };

struct virtual
{
    const char *policy, *delay, *rate; /* rate: a step's SPEC; NULL: 0.1 */
    const char *optimizer_text, *correct_text; /* NULL: sgd, none */
    double l2, clip;
    uint64_t workers, seed, updates;
    size_t size; /* parameters */
    /* Fills g (size) with the gradient of minibatch seq of worker, read at w; NULL: zeros. */
    void (*gradient)(const struct virtual *v, const float *w, uint64_t worker, uint64_t seq, float *g);
    /* Whether it is pushed as the entries that are not 0. NULL: none is. */
    bool (*listed)(uint64_t worker, uint64_t seq);
    /* After an update. NULL: nobody asks. */
    void (*updated)(void *self, const struct aggregate *a);
    void *self;

    double now; /* seconds: the answer */
    struct spec policy_spec, delay_spec, step, optimizer, correct;
    struct aggregate *aggregate;
    struct trace_writer trace;
    struct {
        bool busy, voided; /* voided: of a minibatch whose end is still to be confirmed */
        double ends;
        uint64_t version, seq, voided_seq;
        float *w, *g; /* parameters as read; its gradient */
        float *value; /* (size) what of it is not 0, and where */
        uint32_t *index;
    } worker[VIRTUAL_WORKERS];
};

static int virtual_send(void *self, uint64_t worker, uint64_t version, uint64_t seq, bool again)
{
    struct virtual *v = self;
    (void)again;
    v->worker[worker].voided = v->worker[worker].busy;
    v->worker[worker].voided_seq = v->worker[worker].seq;
    v->worker[worker].busy = true;
    v->worker[worker].version = version;
    v->worker[worker].seq = seq;
    v->worker[worker].ends = v->now + delay_of(&v->delay_spec, v->seed, worker, seq);
    memcpy(v->worker[worker].w, aggregate_w(v->aggregate), v->size * sizeof(float));
    return 0;
}

static void virtual_leave(void *self, uint64_t worker)
{
    (void)self;
    (void)worker;
}

static void virtual_updated(void *self, double now)
{
    struct virtual *v = self;
    (void)now;
    if (v->updated != NULL)
        v->updated(v->self, v->aggregate);
}

static int virtual_confirm(struct virtual *v, struct err *e)
{
    for (uint64_t r = 0; r < v->workers; r++) {
        if (v->worker[r].voided &&
            aggregate_cancelled(v->aggregate, v->now, r, v->worker[r].voided_seq, 0, 0, e) < 0)
            return -1;
        v->worker[r].voided = false;
    }
    return 0;
}

/* What is not 0 of the gradient of a worker. */
static void virtual_list(struct virtual *v, uint64_t worker, struct gradient_in *g)
{
    float *value = v->worker[worker].value;
    uint32_t *index = v->worker[worker].index;
    g->n = 0;
    for (size_t i = 0; i < v->size; i++)
        if (g->g[i] != 0) {
            index[g->n] = (uint32_t)i;
            value[g->n++] = g->g[i];
        }
    g->g = value;
    g->index = index;
}

/* The next minibatch to end, the lowest rank first among equals, is pushed. */
static int virtual_step(struct virtual *v, struct err *e)
{
    uint64_t next = 0;
    double ends = INFINITY;
    for (uint64_t r = 0; r < v->workers; r++)
        if (v->worker[r].busy && v->worker[r].ends < ends) {
            ends = v->worker[r].ends;
            next = r;
        }
    v->now = ends;
    v->worker[next].busy = false;
    if (v->gradient != NULL)
        v->gradient(v, v->worker[next].w, next, v->worker[next].seq, v->worker[next].g);
    struct gradient_in g = { .version = v->worker[next].version,
                             .seq = v->worker[next].seq,
                             .rows = 1,
                             .g = v->worker[next].g };
    if (v->listed != NULL && v->listed(next, g.seq))
        virtual_list(v, next, &g);
    if (aggregate_push(v->aggregate, v->now, next, &g, e) < 0)
        return -1;
    return virtual_confirm(v, e);
}

/* Runs to the last update. The parameters are in aggregate_w(v->aggregate); virtual_free at the end. */
static int virtual_run(struct virtual *v, struct layout *layout, const float *start, struct err *e)
{
    static const struct aggregate_calls calls = { .send = virtual_send,
                                                  .leave = virtual_leave,
                                                  .updated = virtual_updated };
    if (spec_parse(&v->policy_spec, &policy_table, v->policy, e) < 0 ||
        spec_parse(&v->delay_spec, &delay_table, v->delay, e) < 0 ||
        spec_parse(&v->optimizer, &optimizer_table, v->optimizer_text != NULL ? v->optimizer_text : "sgd", e) < 0 ||
        (v->correct_text != NULL && spec_parse(&v->correct, &correct_table, v->correct_text, e) < 0) ||
        step_parse(&v->step, v->rate != NULL ? v->rate : "0.1", e) < 0)
        return -1;
    *layout = (struct layout){ .parts = { { .name = "weight",
                                            .dims = 1,
                                            .shape = { v->size },
                                            .size = v->size,
                                            .penalised = true } },
                               .n = 1,
                               .size = v->size };
    struct aggregate_conf conf = { .policy = &v->policy_spec,
                                   .optimizer = &v->optimizer,
                                   .step = &v->step,
                                   .layout = layout,
                                   .l2 = v->l2,
                                   .clip = v->clip,
                                   .correct = &v->correct,
                                   .run = { .workers = v->workers, .updates = v->updates } };
    v->aggregate = aggregate_open(&conf, start, &v->trace, &calls, v, e);
    if (v->aggregate == NULL)
        return -1;
    for (uint64_t r = 0; r < v->workers; r++) {
        v->worker[r].w = mem_new(v->size, sizeof(float), e);
        v->worker[r].g = mem_new(v->size, sizeof(float), e);
        v->worker[r].value = mem_new(v->size, sizeof(float), e);
        v->worker[r].index = mem_new(v->size, sizeof(uint32_t), e);
        if (v->worker[r].w == NULL || v->worker[r].g == NULL || v->worker[r].value == NULL ||
            v->worker[r].index == NULL)
            return -1;
    }
    for (uint64_t r = 0; r < v->workers; r++)
        if (aggregate_join(v->aggregate, 0, r, UINT64_MAX, "", e) < 0)
            return -1;
    while (aggregate_iteration(v->aggregate) < v->updates)
        if (virtual_step(v, e) < 0)
            return -1;
    return 0;
}

static void virtual_free(struct virtual *v)
{
    aggregate_close(v->aggregate);
    for (uint64_t r = 0; r < v->workers; r++) {
        free(v->worker[r].w);
        free(v->worker[r].g);
        free(v->worker[r].value);
        free(v->worker[r].index);
    }
    spec_free(&v->policy_spec);
    spec_free(&v->delay_spec);
    spec_free(&v->step);
    spec_free(&v->optimizer);
    spec_free(&v->correct);
}

#endif
