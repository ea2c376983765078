/* All P are there: the parameters, the trace, WELCOME to all, and off. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/checkpoint.h"
#include "run/server/journal.h"
#include "run/server/judge.h"
#include "run/server/loss.h"
#include "run/server/metrics.h"
#include "run/server/resume.h"
#include "run/server/save.h"
#include "run/shards.h"

static int send_parameters(void *self, uint64_t worker, uint64_t version, uint64_t seq, bool again)
{
    struct server *s = self;
    struct peer *p = s->places[worker].peer;
    return p == NULL ? 0 : peer_send_params(p, version, seq, again);
}

static void dismiss(void *self, uint64_t worker)
{
    struct server *s = self;
    log_detail(s->log, "worker %ju has made its passes", (uintmax_t)worker);
    if (s->places[worker].peer != NULL)
        peer_dismiss(s->places[worker].peer, NULL);
}

static void updated(void *self, double now)
{
    snapshot_updated(self, now);
    judge_updated(self, now);
    save_updated(self, now);
}

static const struct aggregate_calls aggregate_calls = {
    .send = send_parameters,
    .leave = dismiss,
    .updated = updated,
};

/* The shards of all workers, each with its rank. */
static json_t *shards(const struct server *s)
{
    json_t *all = json_array();
    for (uint64_t r = 0; r < s->workers; r++)
        shards_append(all, r, s->places[r].shards);
    return all;
}

/* The values that workers told under this key: one text when they agree, else one each. */
static json_t *told(const struct server *s, size_t offset)
{
    json_t *all = json_array();
    bool same = true;
    const char *first = NULL;
    for (uint64_t r = 0; r < s->workers; r++) {
        if (s->places[r].peer == NULL)
            continue;
        const char *text = *(char *const *)((const char *)&s->places[r].peer->hello + offset);
        first = first == NULL ? text : first;
        same = same && strcmp(first, text) == 0;
        json_array_append_new(all, json_string(text));
    }
    if (!same)
        return all;
    json_decref(all);
    return json_string(first == NULL ? "" : first);
}

/* Line 1 of the trace. */
static json_t *description(const struct server *s, struct err *e)
{
    const struct server_conf *c = s->conf;
    json_t *rules = train_describe(&c->train, e);
    json_t *all =
        json_pack("{s:s, s:s, s:o, s:o, s:s, s:I, s:s}", "program", "dsgd-ps", "version",
                  PACKAGE_VERSION, "kernel", told(s, offsetof(struct hello, kernel)), "blas",
                  told(s, offsetof(struct hello, blas)), "run", c->run == NULL ? "" : c->run, "P",
                  (json_int_t)s->workers, "on_loss", c->on_loss.text);
    if (rules != NULL && (all == NULL || json_object_update(all, rules) < 0 ||
                          json_object_set_new(all, "shards", shards(s)) < 0))
        err_memory(e);
    json_decref(rules);
    if (e->kind == ERR_OK)
        return all;
    json_decref(all);
    return NULL;
}

static int open_trace(struct server *s, struct err *e)
{
    s->about = description(s, e);
    if (s->about != NULL && s->resumed != NULL && json_object_get(s->resumed->run, "began") != NULL)
        json_object_set(s->about, "began", json_object_get(s->resumed->run, "began"));
    if (s->about == NULL || journal_begin(s, e) < 0)
        return -1;
    metrics_watch(s);
    return 0;
}

static int make_rooms(struct server *s, struct err *e)
{
    for (uint64_t r = 0; r < s->workers; r++) {
        s->places[r].gradient = mem_new(peer_gradient_bytes(s), 1, e);
        if (s->places[r].gradient == NULL)
            return -1;
    }
    return 0;
}

static int welcome_all(struct server *s, struct err *e)
{
    for (uint64_t r = 0; r < s->workers; r++)
        if (s->places[r].peer != NULL && roster_welcome(s->places[r].peer, e) < 0)
            return -1;
    return 0;
}

/* The clock starts with the first parameters, or goes on with them. */
static int start_all(struct server *s, struct err *e)
{
    double now = s->resumed == NULL ? 0 : s->resumed->state.time;
    s->start = clock_now() - now;
    for (uint64_t r = 0; r < s->workers; r++)
        if (s->places[r].peer != NULL && roster_join(s->places[r].peer, now, e) < 0)
            return -1;
    s->combine = policy_combine(aggregate_policy(s->aggregate));
    return 0;
}

/* The start parameters are a snapshot, too. */
static int first_moment(struct server *s, struct err *e)
{
    if (s->resumed != NULL) {
        const struct aggregate_state *from = &s->resumed->state;
        snapshot_resumed(s, from->time);
        save_begin(s, from->time, from->iteration);
        return resume_go_on(s, e);
    }
    save_begin(s, 0, NO_PLACE);
    snapshot_updated(s, 0);
    judge_updated(s, 0);
    return 0;
}

/* A run that goes on may have had all its time. */
static void limit_time(struct server *s)
{
    double left = s->conf->train.seconds - (s->resumed == NULL ? 0 : s->resumed->state.time);
    struct timeval t = server_interval(fmax(left, 0));
    event_del(s->limit);
    if (s->conf->train.seconds > 0 && left <= 0)
        server_end(s, "time", NULL);
    else if (s->conf->train.seconds > 0)
        event_add(s->limit, &t);
}

int server_begin(struct server *s, struct err *e)
{
    struct policy_run run = { .workers = s->workers,
                              .loss = loss_row(s)->policy,
                              .marks = s->save != NULL };
    if ((s->resumed == NULL && roster_union(s, e) < 0) ||
        layout_fits(&s->shape.layout, s->workers + AGGREGATE_COPIES, e) < 0 || make_rooms(s, e) < 0 ||
        train_rule(&s->conf->train, NULL, &s->rule, &run, e) < 0)
        return -1;
    s->aggregate = s->resumed != NULL
                       ? resume_aggregate(s, &run, &aggregate_calls, e)
                       : train_open(&s->conf->train, &s->shape.layout, &run, NULL, false, &s->trace,
                                    &aggregate_calls, s, e);
    if (s->aggregate == NULL || open_trace(s, e) < 0 || welcome_all(s, e) < 0)
        return -1;
    s->phase = PHASE_RUN;
    if (first_moment(s, e) < 0)
        return -1;
    log_detail(s->log, "%ju workers, %zu parameters: off", (uintmax_t)s->workers,
               s->shape.layout.size);
    if (start_all(s, e) < 0)
        return -1;
    limit_time(s);
    return 0;
}
