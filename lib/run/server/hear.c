/* What a peer says: which frames it may send when, and what they do. */
#include "run/server/hear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/packed.h"
#include "run/server/admission.h"

enum { ERROR_TEXT_MAX = 1000, FIRST = 4096 /* bytes of a HELLO that a stranger has room for */ };

#define IN(state) (1u << (state))
enum {
    WAITING = IN(PEER_READY) | IN(PEER_SPARE),
    JOINED = IN(PEER_WORKING) | IN(PEER_LEAVING),
    ANY = IN(PEER_NEW) | WAITING | JOINED,
};

/* A type of frame: in which states of the peer it may come, how long its payload may be. */
struct rule {
    const char *name;
    unsigned states;
    size_t min, max; /* bytes; both 0 for gradients: the model says */
    int (*handle)(struct peer *p, const struct frame *f, unsigned char *payload, struct err *e);
};

/* What a worker claims to have measured. */
static int read_work(struct work *w, const struct peer *p, const unsigned char *payload,
                     struct err *e)
{
    work_decode(w, payload);
    bool sane = isfinite(w->compute) && w->compute >= 0 && isfinite(w->delay) && w->delay >= 0 &&
                w->rows <= p->server->conf->train.batch;
    if (!sane)
        return err_set(e, ERR_PEER,
                       "measurements that cannot be: %g s computed, %g s delayed, %ju rows",
                       w->compute, w->delay, (uintmax_t)w->rows);
    return 0;
}

static int on_hello(struct peer *p, const struct frame *f, unsigned char *payload, struct err *e)
{
    const struct server *s = p->server;
    if (p->state == PEER_LEAVING || s->phase == PHASE_DRAIN)
        return 0; /* too late; it finds BYE or ERROR */
    if (roster_hello(p, payload, (size_t)f->length, e) == 0) {
        peer_greeted(p);
        return 0;
    }
    if (p->child != NULL)
        p->child->why = *e;
    return -1;
}

static int push(struct peer *p, const struct gradient_in *g, struct err *e)
{
    struct server *s = p->server;
    return aggregate_push(s->aggregate, server_now(s), p->rank, g, e);
}

/* After the end: a gradient that was void is late, one that was not is left unfinished. */
static void farewell(struct peer *p, uint64_t seq, const struct work *w)
{
    struct server *s = p->server;
    if (p->said_bye)
        return;
    p->said_bye = true;
    aggregate_farewell(s->aggregate, server_now(s), p->rank, seq, w->compute, w->delay);
}

/* A gradient of entries, from one who said that such may come. */
static bool listed(const struct peer *p, const struct frame *f)
{
    return f->flags & GRAD_SPARSE && p->hello.sparse;
}

static int on_gradient(struct peer *p, const struct frame *f, unsigned char *payload, struct err *e)
{
    struct server *s = p->server;
    struct work w;
    struct entries got = { .value = (const float *)(const void *)(payload + FRAME_WORK) };
    if (read_work(&w, p, payload, e) < 0)
        return -1;
    if (listed(p, f) &&
        packed_read(&got, payload + FRAME_WORK, (size_t)f->length - FRAME_WORK, s->shape.layout.size, e) < 0)
        return err_ctx(e, "a gradient");
    struct gradient_in g = {
        .version = f->version,
        .seq = f->seq,
        .rows = w.rows,
        .loss = w.loss,
        .compute = w.compute,
        .delay = w.delay,
        .g = got.value,
        .index = got.index,
        .n = got.n,
    };
    uint64_t live;
    if (s->phase == PHASE_RUN)
        return server_event(s, push(p, &g, e), e);
    if (policy_working(aggregate_policy(s->aggregate), p->rank, &live) && live == f->seq)
        farewell(p, f->seq, &w);
    else
        push(p, &g, e);
    return 0;
}

static int on_cancelled(struct peer *p, const struct frame *f, unsigned char *payload,
                        struct err *e)
{
    struct server *s = p->server;
    struct work w;
    if (read_work(&w, p, payload, e) < 0)
        return -1;
    int rc =
        aggregate_cancelled(s->aggregate, server_now(s), p->rank, f->seq, w.compute, w.delay, e);
    return s->phase == PHASE_RUN ? server_event(s, rc, e) : 0;
}

static int on_heartbeat(struct peer *p, const struct frame *f, unsigned char *payload,
                        struct err *e)
{
    (void)p, (void)f, (void)payload, (void)e;
    return 0; /* conn_heard has it */
}

/* The answer to our BYE, or a worker that leaves by itself. */
static int on_bye(struct peer *p, const struct frame *f, unsigned char *payload, struct err *e)
{
    struct server *s = p->server;
    struct work w = { .compute = NAN, .delay = NAN };
    if (p->state != PEER_LEAVING && s->phase != PHASE_DRAIN)
        return err_set(e, ERR_PEER, "it left");
    if (p->rank == NO_PLACE || s->aggregate == NULL)
        return 0;
    if (f->length == FRAME_WORK && read_work(&w, p, payload, e) < 0)
        return -1;
    double now = server_now(s);
    bool voided = f->seq != FRAME_NO_SEQ && aggregate_cancelled(s->aggregate, now, p->rank, f->seq,
                                                                w.compute, w.delay, e) == 0;
    if (s->phase == PHASE_DRAIN && !voided)
        farewell(p, f->seq, &w);
    p->said_bye = true;
    return 0;
}

static int on_error(struct peer *p, const struct frame *f, unsigned char *payload, struct err *e)
{
    unsigned kind = f->flags >= ERR_NO && f->flags <= ERR_PEER ? f->flags : ERR_PEER;
    err_set(e, (enum err_kind)kind, "%.*s", (int)f->length, (const char *)payload);
    if (p->child != NULL && p->state != PEER_LEAVING)
        p->child->why = *e;
    return -1;
}

static const struct rule rules[] = {
    [FRAME_HELLO] = { "HELLO", IN(PEER_NEW) | IN(PEER_LEAVING), TOKEN_TEXT + 2, FRAME_TEXT_MAX,
                      on_hello },
    [FRAME_WELCOME] = { "WELCOME", 0, 0, 0, NULL },
    [FRAME_PARAMS] = { "PARAMS", 0, 0, 0, NULL },
    [FRAME_GRAD] = { "GRAD", JOINED, 0, 0, on_gradient },
    [FRAME_CANCELLED] = { "CANCELLED", JOINED, FRAME_WORK, FRAME_WORK, on_cancelled },
    [FRAME_HEARTBEAT] = { "HEARTBEAT", WAITING | JOINED, 0, 0, on_heartbeat },
    [FRAME_BYE] = { "BYE", ANY, 0, FRAME_WORK, on_bye },
    [FRAME_ERROR] = { "ERROR", ANY, 0, ERROR_TEXT_MAX, on_error },
};

/* Straight to where the aggregate reads it. */
static void *place_gradient(struct peer *p, const struct frame *f, struct err *e)
{
    const struct server *s = p->server;
    if (p->rank == NO_PLACE) {
        err_set(e, ERR_PEER, "a gradient of a worker that is not in the run");
        return NULL;
    }
    const size_t all = peer_gradient_bytes(s), least = listed(p, f) ? FRAME_WORK : all;
    if (f->length < least || f->length > all) {
        err_set(e, ERR_PEER, "a gradient of %ju bytes; this run's have %zu", (uintmax_t)f->length, all);
        return NULL;
    }
    if (s->phase == PHASE_RUN && aggregate_holds(s->aggregate, p->rank)) {
        err_set(e, ERR_PEER, "a second gradient before the update");
        return NULL;
    }
    return s->places[p->rank].gradient;
}

void *hear_expect(void *owner, struct conn *c, size_t *room)
{
    (void)c;
    const struct peer *p = owner;
    const struct server *s = p->server;
    if (p->state != PEER_WORKING || s->phase != PHASE_RUN || aggregate_holds(s->aggregate, p->rank))
        return NULL;
    *room = peer_gradient_bytes(s);
    return s->places[p->rank].gradient;
}

void *hear_place(void *owner, struct conn *c, const struct frame *f, struct err *e)
{
    struct peer *p = owner;
    const struct rule *r = &rules[f->type];
    if (!(r->states & IN(p->state))) {
        err_set(e, ERR_PEER, "%s out of place%s", r->name,
                p->state == PEER_NEW ? ": HELLO comes first" : "");
        return NULL;
    }
    if (f->type == FRAME_GRAD)
        return place_gradient(p, f, e);
    if (f->length < r->min || f->length > r->max) {
        err_set(e, ERR_PEER, "%s of %ju bytes; allowed are %zu to %zu", r->name,
                (uintmax_t)f->length, r->min, r->max);
        return NULL;
    }
    if (f->length == 0)
        return p; /* nothing is written there */
    size_t n = (size_t)f->length;
    if (f->type == FRAME_HELLO && n > FIRST) {
        n = FIRST;
        conn_ask_again(c, n);
    }
    free(p->payload);
    p->payload = malloc(n);
    if (p->payload == NULL)
        err_memory(e);
    return p->payload;
}

/* Of a long HELLO: no memory is taken for who has no token. */
void *hear_rest(void *owner, struct conn *c, const struct frame *f, void *first, struct err *e)
{
    (void)c;
    struct peer *p = owner;
    if (admission_token(p, first, e) < 0)
        return NULL;
    unsigned char *all = realloc(p->payload, (size_t)f->length);
    if (all == NULL) {
        err_memory(e);
        return NULL;
    }
    return p->payload = all;
}

int hear_frame(void *owner, struct conn *c, const struct frame *f, void *payload, struct err *e)
{
    (void)c;
    struct peer *p = owner;
    struct server *s = p->server;
    if (rules[f->type].handle(p, f, payload, e) < 0)
        return -1;
    server_settle(s);
    return 0;
}
