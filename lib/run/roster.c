/* Who is connected: which worker has which place, and who waits for one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "run/admission.h"
#include "run/minibatch.h"
#include "run/server_state.h"

int roster_add(const struct server *s, const struct peer *p, struct dims *d, struct classes *c,
                 struct err *e)
{
    if (p->hello.features > d->features)
        d->features = p->hello.features;
    if (model_row(&s->conf->model)->target == TARGET_REAL)
        return 0;
    return classes_merge(c, &p->hello.classes, e);
}

int roster_unite(const struct server *s, struct dims *d, struct classes *c, struct err *e)
{
    for (uint64_t r = 0; r < s->workers; r++)
        if (s->places[r].peer != NULL && roster_add(s, s->places[r].peer, d, c, e) < 0)
            return -1;
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

/* NO_PLACE: as a spare. */
static int find_place(const struct peer *p, uint64_t *rank, struct err *e)
{
    const struct server *s = p->server;
    int64_t want = p->hello.rank;
    if (want == RANK_ANY && p->child != NULL)
        want = (int64_t)p->child->rank;
    *rank = NO_PLACE;
    if (want == RANK_ANY)
        *rank = free_place(s);
    else if ((uint64_t)want < s->workers)
        *rank = (uint64_t)want;
    if (*rank == NO_PLACE || s->places[*rank].peer == NULL)
        return 0;
    return err_set(e, ERR_PEER, "rank %" PRId64 " is taken: %s is there", want,
                   s->places[*rank].peer->label);
}

static void take_place(struct peer *p, uint64_t rank)
{
    struct place *place = &p->server->places[rank];
    p->rank = rank;
    place->peer = p;
    memcpy(place->label, p->label, sizeof place->label);
    if (p->child != NULL)
        p->child->joined = true;
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
        take_place(p, rank);
        p->state = PEER_READY;
        log_detail(s->log, "worker %ju is %s", (uintmax_t)rank, p->label);
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

/* Two classes of which all data show one, a number: the other is its opposite, so that +1 alone is
 * positive and -1 or 0 alone negative. */
static int add_opposite(struct server *s, struct err *e)
{
    const struct label *only = &s->classes.v[0];
    double other = only->value == 0 ? 1 : -only->value;
    char name[NUM_TEXT];
    num_print_double(name, other);
    log_note(s->log, "all labels are %s; %s is taken for the other class", only->name, name);
    return classes_add(&s->classes, name, other, "", only->order, e);
}

static int unite_classes(struct server *s, struct err *e)
{
    enum target target = model_row(&s->conf->model)->target;
    if (target == TARGET_TWO && s->classes.n == 1 && !s->classes.named && add_opposite(s, e) < 0)
        return -1;
    return target == TARGET_REAL ? 0 : model_fits(&s->conf->model, &s->classes, false, e);
}

int roster_union(struct server *s, struct err *e)
{
    s->dims = (struct dims){ .bias = !s->conf->no_bias };
    if (roster_unite(s, &s->dims, &s->classes, e) < 0 || unite_classes(s, e) < 0)
        return -1;
    s->dims.classes = s->classes.n;
    json_t *data = s->places[0].peer->hello.data;
    s->data = json_is_object(data) ? json_incref(data) : json_object();
    return model_layout(&s->conf->model, &s->dims, &s->layout, e);
}

int roster_welcome(struct peer *p, struct err *e)
{
    const struct server *s = p->server;
    struct welcome w = {
        .rank = p->rank,
        .workers = s->workers,
        .seed = s->conf->seed,
        .batch = s->conf->batch,
        .model = s->conf->model.text,
        .features = s->dims.features,
        .classes = s->classes,
        .bias = s->dims.bias,
        .timeout = s->conf->worker_timeout,
    };
    char *text = welcome_text(&w, e);
    if (text == NULL)
        return -1;
    peer_send(p, FRAME_WELCOME, 0, text);
    p->state = PEER_WORKING;
    free(text);
    return 0;
}

static uint64_t budget(const struct peer *p)
{
    const struct server_conf *c = p->server->conf;
    struct minibatch m = { .rows = p->hello.rows, .size = c->batch };
    return c->passes == 0 ? UINT64_MAX : c->passes * minibatch_pass(&m);
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
    return aggregate_join(p->server->aggregate, now, p->rank, budget(p), p->label, e);
}

void roster_admit(struct peer *p, uint64_t rank)
{
    struct server *s = p->server;
    struct err e = { 0 };
    take_place(p, rank);
    log_note(s->log, "worker %ju is %s, from update %ju on", (uintmax_t)rank, p->label,
             (uintmax_t)aggregate_iteration(s->aggregate));
    close_gap(s, rank);
    int rc = roster_welcome(p, &e);
    if (rc == 0)
        rc = roster_join(p, server_now(s), &e);
    server_event(s, rc, &e);
}

static struct peer *spare(const struct server *s)
{
    struct peer *p = s->peers;
    while (p != NULL && p->state != PEER_SPARE)
        p = p->next;
    return p;
}

void roster_fill(struct server *s)
{
    struct peer *p;
    for (uint64_t r = 0; s->phase == PHASE_RUN && r < s->workers; r++)
        if (s->places[r].peer == NULL && !policy_done(aggregate_policy(s->aggregate), r) &&
            (p = spare(s)) != NULL)
            roster_admit(p, r);
}
