/* Who is connected: which worker has which place, and who waits for one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/server/admission.h"
#include "run/server/resume.h"

int roster_unite(const struct server *s, struct shape *shape, struct err *e)
{
    for (uint64_t r = 0; r < s->workers; r++) {
        const struct peer *p = s->places[r].peer;
        if (p != NULL &&
            shape_add(shape, &s->conf->train.model, p->hello.features, &p->hello.classes, e) < 0)
            return -1;
    }
    return 0;
}

/* A place that nobody has, nobody is on the way to, and whose work is not done already. */
static uint64_t free_place(const struct server *s)
{
    for (uint64_t r = 0; r < s->workers; r++) {
        const struct child *c = r < s->spawn.n ? &s->spawn.v[r] : NULL;
        bool awaited = c != NULL && c->pid != 0 && !c->joined;
        bool done = s->aggregate != NULL && policy_done(aggregate_policy(s->aggregate), r);
        if (s->places[r].peer == NULL && !awaited && !done)
            return r;
    }
    return NO_PLACE;
}

/* A run that goes on gathers the workers that it had. */
static bool awaits_data(const struct server *s)
{
    return s->resumed != NULL && s->phase == PHASE_GATHER;
}

/* Where there is room for who does not get the place that it asks for. */
static uint64_t elsewhere(const struct peer *p)
{
    bool known;
    return awaits_data(p->server) ? resume_find(p->server, p->hello.shards, &known) : free_place(p->server);
}

/* One that came to its place while another was lost, or may have; the other can be back. */
static bool stands_in(const struct server *s, const struct peer *p)
{
    bool substitute = p->hello.rank != (int64_t)p->rank && (s->phase == PHASE_RUN || s->resumed != NULL);
    return p->hello.back || substitute;
}

/* Somebody is at the place that p asks for. A worker that is back knows better than we that its old connection is
 * of no use. When another came in the meantime it takes what is free. */
static int claim(const struct peer *p, uint64_t *rank, struct err *e)
{
    struct peer *there = p->server->places[*rank].peer;
    if (!p->hello.back && !stands_in(p->server, there))
        return err_set(e, ERR_PEER, "rank %ju is taken: %s is there", (uintmax_t)*rank, there->label);
    if (p->hello.back && strcmp(p->hello.name, there->hello.name) == 0)
        peer_give_up(there, "it came back on another connection");
    else
        *rank = elsewhere(p);
    return 0;
}

/* Its place is where its data were. Who has those of a place that is filled, or of none, can be a spare, as it may have
 * been before; and so can who came to its place after the checkpoint. */
static int find_again(const struct peer *p, int64_t want, uint64_t *rank, struct err *e)
{
    const struct server *s = p->server;
    bool known, any = want == RANK_ANY;
    if (!any && (uint64_t)want >= s->workers)
        return 0;
    if (!any && resume_same(&s->places[want], p->hello.shards)) {
        *rank = (uint64_t)want;
        return s->places[*rank].peer == NULL ? 0 : claim(p, rank, e);
    }
    if (!any && !p->hello.back)
        return resume_refuse(s, p, (uint64_t)want, e);
    *rank = resume_find(s, p->hello.shards, &known);
    if (!known)
        log_note(s->log, "%s: no worker of the run that goes on had its data", p->label);
    return 0;
}

static void take_place(struct peer *p, uint64_t rank)
{
    struct place *place = &p->server->places[rank];
    p->rank = rank;
    place->peer = p;
    place->left = false;
    memcpy(place->label, p->label, sizeof place->label);
    json_decref(place->shards);
    place->shards = json_incref(p->hello.shards);
    if (p->child != NULL)
        p->child->joined = true;
}

static void make_ready(struct peer *p, uint64_t rank)
{
    take_place(p, rank);
    p->state = PEER_READY;
    log_detail(p->server->log, "worker %ju is %s", (uintmax_t)rank, p->label);
}

/* Before the start one that takes any place goes to another, for one that asks for this. */
static bool makes_way(struct server *s, uint64_t rank)
{
    struct peer *there = s->places[rank].peer;
    uint64_t other = free_place(s);
    if (s->phase != PHASE_GATHER || there->hello.rank != RANK_ANY || there->child != NULL || other == NO_PLACE)
        return false;
    s->places[rank].peer = NULL;
    make_ready(there, other);
    return true;
}

/* NO_PLACE: as a spare. */
static int find_place(const struct peer *p, uint64_t *rank, struct err *e)
{
    const struct server *s = p->server;
    int64_t want = p->hello.rank;
    if (want == RANK_ANY && p->child != NULL)
        want = (int64_t)p->child->rank;
    *rank = NO_PLACE;
    if (awaits_data(s))
        return find_again(p, want, rank, e);
    if (want == RANK_ANY)
        *rank = free_place(s);
    else if ((uint64_t)want < s->workers)
        *rank = (uint64_t)want;
    bool vacant = *rank == NO_PLACE || s->places[*rank].peer == NULL || makes_way(p->server, *rank);
    return vacant ? 0 : claim(p, rank, e);
}

int roster_hello(struct peer *p, const unsigned char *payload, size_t n, struct err *e)
{
    struct server *s = p->server;
    uint64_t rank;
    if (admission_check(p, payload, n, e) < 0 || find_place(p, &rank, e) < 0)
        return -1;
    p->state = PEER_SPARE;
    if (rank == NO_PLACE) {
        log_note(s->log, "%s waits as a spare", p->label);
    } else if (s->phase == PHASE_RUN) {
        roster_admit(p, rank);
    } else {
        make_ready(p, rank);
    }
    return 0;
}

uint64_t roster_ready(const struct server *s)
{
    uint64_t n = 0;
    for (uint64_t r = 0; r < s->workers; r++)
        n += s->places[r].peer != NULL;
    return n;
}

bool roster_complete(const struct server *s)
{
    for (uint64_t r = 0; r < s->workers; r++)
        if (s->places[r].peer == NULL && !s->places[r].spared)
            return false;
    return true;
}

int roster_union(struct server *s, struct err *e)
{
    const struct train_conf *c = &s->conf->train;
    if (roster_unite(s, &s->shape, e) < 0)
        return -1;
    return shape_close(&s->shape, &c->model, !c->no_bias, s->places[0].peer->hello.data, s->log, e);
}

int roster_welcome(struct peer *p, struct err *e)
{
    const struct server *s = p->server;
    struct welcome w = {
        .rank = p->rank,
        .workers = s->workers,
        .seed = s->conf->train.seed,
        .batch = s->conf->train.batch,
        .model = s->conf->train.model.text,
        .features = s->shape.dims.features,
        .shape = json_object_get(s->shape.data, "shape"),
        .classes = s->shape.classes,
        .bias = s->shape.dims.bias,
        .sparse = p->hello.sparse,
        .timeout = s->conf->worker_timeout,
    };
    if (model_told(&s->conf->train.model))
        w.tensors = layout_json(&s->shape.layout);
    char *text = welcome_text(&w, e);
    json_decref(w.tensors);
    if (text == NULL)
        return -1;
    peer_send(p, FRAME_WELCOME, 0, text);
    p->state = PEER_WORKING;
    conn_pause(p->conn, s->paused);
    free(text);
    return 0;
}

/* The time without a worker at this place is over. */
static void close_gap(struct server *s, uint64_t rank)
{
    struct place *place = &s->places[rank];
    struct err e = { 0 };
    uint64_t from = place->lost_at, to = aggregate_iteration(s->aggregate);
    if (from == NO_PLACE)
        return;
    place->lost_at = NO_PLACE;
    if (mem_grow(&s->gaps, &s->gaps_cap, s->n_gaps + 1, sizeof *s->gaps, &e) < 0)
        return;
    struct gap *g = &s->gaps[s->n_gaps++];
    *g = (struct gap){ .rank = rank, .from = from, .to = to };
    memcpy(g->label, place->label, sizeof g->label);
}

int roster_join(struct peer *p, double now, struct err *e)
{
    const struct server *s = p->server;
    uint64_t budget = train_budget(&s->conf->train, p->hello.rows);
    s->places[p->rank].budget = budget;
    aggregate_data(s->aggregate, p->rank, p->hello.rows);
    return aggregate_join(s->aggregate, now, p->rank, budget, p->label, e);
}

/* Which rows a late worker has, so that the run can be executed again. */
static void trace_shards(struct server *s, const struct peer *p, double now)
{
    size_t i;
    json_t *one;
    json_array_foreach(p->hello.shards, i, one)
    {
        struct trace_event ev = trace_event(TRACE_SET, now);
        const char *crc = json_string_value(json_object_get(one, "crc32"));
        const char *file = json_string_value(json_object_get(one, "file"));
        ev.worker = p->rank;
        ev.rows = (uint64_t)json_integer_value(json_object_get(one, "rows"));
        snprintf(ev.note, sizeof ev.note, "shard %.8s %s", crc == NULL ? "" : crc,
                 file == NULL ? "" : file);
        trace_write(&s->trace, &ev);
    }
}

void roster_admit(struct peer *p, uint64_t rank)
{
    struct server *s = p->server;
    struct err e = { 0 };
    take_place(p, rank);
    log_note(s->log, "worker %ju is %s, from update %ju on", (uintmax_t)rank, p->label,
             (uintmax_t)aggregate_iteration(s->aggregate));
    close_gap(s, rank);
    double now = server_now(s);
    int rc = roster_welcome(p, &e);
    trace_shards(s, p, now);
    if (rc == 0)
        rc = roster_join(p, now, &e);
    server_event(s, rc, &e);
}

/* One that can be at that place. */
static struct peer *spare(const struct server *s, uint64_t rank)
{
    struct peer *p = s->peers;
    while (p != NULL && (p->state != PEER_SPARE ||
                         (awaits_data(s) && !resume_same(&s->places[rank], p->hello.shards))))
        p = p->next;
    return p;
}

/* During the run a place is empty because its worker was lost; before it, more likely because that is still to come. */
static bool can_be_filled(const struct server *s, uint64_t rank, bool nobody_comes)
{
    const struct place *place = &s->places[rank];
    if (place->peer != NULL || place->spared)
        return false;
    return s->phase == PHASE_RUN ? !policy_done(aggregate_policy(s->aggregate), rank)
                                 : s->phase == PHASE_GATHER && (place->left || nobody_comes);
}

static void fill(struct server *s, bool nobody_comes)
{
    for (uint64_t r = 0; r < s->workers; r++) {
        struct peer *p = can_be_filled(s, r, nobody_comes) ? spare(s, r) : NULL;
        if (p != NULL && s->phase == PHASE_RUN)
            roster_admit(p, r);
        else if (p != NULL)
            make_ready(p, r);
    }
}

void roster_fill(struct server *s)
{
    fill(s, false);
}

void roster_fill_all(struct server *s)
{
    fill(s, true);
}
