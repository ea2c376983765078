/* A run that goes on from a checkpoint. */
#include "run/server/resume.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/checkpoint.h"
#include "run/server/loss.h"
#include "run/shards.h"

static bool given(const void *conf, const char *option)
{
    const struct server_conf *c = conf;
    return opt_given(c->opts, c->given, option);
}

static int other(const char *option, const char *here, const char *then, struct err *e)
{
    return err_set(e, ERR_DATA, "--%s: here is '%s', the run was recorded with '%s'", option, here, then);
}

static int take_workers(struct server_conf *c, const struct checkpoint *k, struct err *e)
{
    char here[24], then[24];
    snprintf(here, sizeof here, "%" PRIu64, c->workers);
    snprintf(then, sizeof then, "%" PRIu64, k->workers);
    if (c->workers != 0 && c->workers != k->workers)
        return other("workers", here, then, e);
    c->workers = k->workers;
    return 0;
}

static int take_on_loss(struct server_conf *c, const json_t *run, struct err *e)
{
    const char *then = json_string_value(json_object_get(run, "on_loss"));
    if (then == NULL)
        return err_set(e, ERR_DATA, "metadata 'run': \"on_loss\" is missing");
    if (!given(c, "on-loss"))
        return spec_parse(&c->on_loss, &loss_table, then, e);
    return strcmp(c->on_loss.text, then) == 0 ? 0 : other("on-loss", c->on_loss.text, then, e);
}

static int take_name(struct server_conf *c, const json_t *run, struct err *e)
{
    const char *then = json_string_value(json_object_get(run, "run"));
    then = then == NULL ? "" : then;
    if (c->run == NULL)
        c->run = then; /* the checkpoint is kept as long as the server */
    return strcmp(c->run, then) == 0 ? 0 : other("run", c->run, then, e);
}

static int take_conf(struct server *s, const struct checkpoint *k, struct err *e)
{
    struct server_conf *c = s->conf;
    int rc = train_resume(&c->train, k->run, given, c, e);
    if (rc == 0)
        rc = take_workers(c, k, e);
    if (rc == 0)
        rc = take_on_loss(c, k->run, e);
    if (rc == 0)
        rc = take_name(c, k->run, e);
    return rc < 0 ? err_ctx(e, "%s", c->checkpoint) : 0;
}

/* As the workers' data made it then. */
static int take_shape(struct server *s, struct checkpoint *k, struct err *e)
{
    const char *data = meta_text(k->model.meta, "data");
    s->shape.dims = k->model.dims;
    s->shape.layout = k->model.layout;
    s->shape.classes = k->model.classes;
    k->model.classes = (struct classes){ 0 };
    s->shape.data = data == NULL ? json_object() : json_loads(data, 0, NULL);
    return s->shape.data == NULL ? err_set(e, ERR_DATA, "%s: metadata 'data'", s->conf->checkpoint) : 0;
}

int resume_open(struct server *s, struct err *e)
{
    const char *path = s->conf->checkpoint;
    if (!s->conf->resume)
        return 0;
    if (path == NULL)
        return err_set(e, ERR_USAGE, "--resume: from which checkpoint? (-C FILE)");
    struct checkpoint *k = mem_new(1, sizeof *k, e);
    int there = k == NULL ? -1 : checkpoint_read(k, path, e);
    if (there <= 0) {
        free(k);
        if (there == 0)
            log_note(s->log, "%s is not there yet: the run begins anew", path);
        return there;
    }
    s->resumed = k;
    return take_conf(s, k, e) < 0 ? -1 : take_shape(s, k, e);
}

void resume_close(struct server *s)
{
    if (s->resumed != NULL)
        checkpoint_free(s->resumed);
    free(s->resumed);
    s->resumed = NULL;
}

int resume_places(struct server *s, struct err *e)
{
    const struct checkpoint *k = s->resumed;
    const struct train_conf *c = &s->conf->train;
    if (k == NULL)
        return 0;
    json_t *all = shards_by_worker(json_object_get(k->run, "shards"), s->workers, e);
    if (all == NULL)
        return err_ctx(e, "%s", s->conf->checkpoint);
    bool over = (c->updates > 0 && k->state.iteration >= c->updates) ||
                (c->seconds > 0 && k->state.time >= c->seconds);
    for (uint64_t r = 0; r < s->workers; r++) {
        struct place *p = &s->places[r];
        p->shards = json_incref(json_array_get(all, (size_t)r));
        p->budget = train_budget(c, shards_rows(p->shards));
        p->spared = over || k->policy.place[r].next >= p->budget;
    }
    json_decref(all);
    log_note(s->log, "%s: the run goes on after update %" PRIu64 ", %.3f s", s->conf->checkpoint,
             k->state.iteration, k->state.time);
    return 0;
}

bool resume_same(const struct place *place, const json_t *shards)
{
    return shards_same(place->shards, shards);
}

uint64_t resume_find(const struct server *s, const json_t *shards, bool *known)
{
    *known = false;
    for (uint64_t r = 0; r < s->workers; r++) {
        bool same = resume_same(&s->places[r], shards);
        *known = *known || same;
        if (same && s->places[r].peer == NULL)
            return r;
    }
    return NO_PLACE;
}

static void describe(char *text, size_t room, const json_t *shards)
{
    const json_t *first = json_array_get(shards, 0);
    snprintf(text, room, "%ju rows, '%.100s' with crc32 %.8s", (uintmax_t)shards_rows(shards),
             shards_text(first, "file"), shards_text(first, "crc32"));
}

int resume_refuse(const struct server *s, const struct peer *p, uint64_t rank, struct err *e)
{
    char here[200], then[200];
    describe(here, sizeof here, p->hello.shards);
    describe(then, sizeof then, s->places[rank].shards);
    return err_set(e, ERR_DATA, "%s: it has other data (%s) than worker %ju of the run that goes on (%s)",
                   p->label, here, (uintmax_t)rank, then);
}

struct aggregate *resume_aggregate(struct server *s, const struct policy_run *run,
                                   const struct aggregate_calls *calls, struct err *e)
{
    struct checkpoint *k = s->resumed;
    struct aggregate *a = train_open(&s->conf->train, &s->shape.layout, run, k->state.w, false,
                                     &s->trace, calls, s, e);
    if (a == NULL)
        return NULL;
    if (checkpoint_memory(k, a, e) < 0) {
        err_ctx(e, "%s", s->conf->checkpoint);
        aggregate_close(a);
        return NULL;
    }
    aggregate_restore(a, &k->state);
    return a;
}

int resume_go_on(struct server *s, struct err *e)
{
    const struct checkpoint *k = s->resumed;
    char note[TRAIN_NOTE];
    uint64_t *budget = mem_new(s->workers, sizeof *budget, e);
    if (budget == NULL)
        return -1;
    for (uint64_t r = 0; r < s->workers; r++) {
        budget[r] = s->places[r].budget;
        aggregate_data(s->aggregate, r, shards_rows(s->places[r].shards));
    }
    int rc = aggregate_resume(s->aggregate, &k->policy, budget, s->conf->train.updates,
                              train_note(&s->conf->train, note), e);
    free(budget);
    return rc < 0 ? err_ctx(e, "%s", s->conf->checkpoint) : 0;
}
