/* A connection of the server: its beginning, its end, and what is sent to it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "run/server/hear.h"
#include "run/server/loss.h"
#include "run/server/state.h"

enum { STRANGERS_TOLD = 20 /* with a line each */ };
static const double half_open = 10; /* seconds within which a connection has to say HELLO */

size_t peer_gradient_bytes(const struct server *s)
{
    return FRAME_WORK + s->shape.layout.size * sizeof(float);
}

/* One that was told that it has made all, and left without a word of what it still had in hand. */
static void left_in_silence(struct peer *p)
{
    struct server *s = p->server;
    struct err e = { 0 };
    if (s->phase == PHASE_RUN &&
        policy_account(aggregate_policy(s->aggregate), p->rank).unfinished > 0)
        server_event(s, aggregate_gone(s->aggregate, server_now(s), p->rank, "", &e), &e);
}

/* What a command wrote, as far as it is text. */
static void name_junk(const struct peer *p, struct err *e)
{
    const unsigned char *bytes;
    char text[FRAME_HEADER + 1];
    size_t n = conn_junk(p->conn, &bytes), i = 0;
    if (p->child == NULL || n == 0)
        return;
    for (; i < n && bytes[i] != '\n' && bytes[i] != '\0'; i++)
        text[i] = (char)(bytes[i] < 0x20 || bytes[i] > 0x7e ? '?' : bytes[i]);
    text[i] = '\0';
    err_set(e, ERR_PEER, "it wrote to its stdout what is not the protocol: '%s'", text);
    if (p->state == PEER_NEW && p->child->why.kind == ERR_OK)
        p->child->why = *e;
}

/* Who sends garbage on and on fills no log with it. */
static bool told_enough(struct server *s)
{
    if (++s->strangers == STRANGERS_TOLD + 1)
        log_note(s->log, "further connections that are refused are counted, and told with -v alone");
    return s->strangers > STRANGERS_TOLD;
}

/* One that came and said nothing only looked whether somebody listens. */
static void tell_refused(const struct peer *p, const struct err *e)
{
    char text[ADDRESS_TEXT] = { 0 };
    address_text(&p->via->address, text, sizeof text);
    if (!conn_spoke(p->conn))
        log_detail(p->server->log, "a connection on %s said nothing: %s", text, e->text);
    else if (told_enough(p->server))
        log_detail(p->server->log, "a connection on %s was refused: %s", text, e->text);
    else
        log_note(p->server->log, "a connection on %s was refused: %s", text, e->text);
}

/* Its place can be a spare's now. */
static void left_early(struct peer *p, const struct err *e)
{
    struct server *s = p->server;
    log_note(s->log, "%s left before it was needed: %s", p->label, e->text);
    if (p->state == PEER_READY)
        s->places[p->rank].left = true;
}

/* What its end means, and to whom it is told. */
static void mind_end(struct peer *p, const struct err *e)
{
    struct server *s = p->server;
    if (p->state == PEER_WORKING && s->phase == PHASE_RUN)
        loss_of(p, e->text);
    else if (p->state == PEER_LEAVING && p->rank != NO_PLACE && !p->said_bye &&
             s->aggregate != NULL)
        left_in_silence(p);
    else if (p->state == PEER_READY || p->state == PEER_SPARE)
        left_early(p, e);
    else if (p->state == PEER_NEW && p->child == NULL)
        tell_refused(p, e);
}

static void closed(void *owner, struct conn *c, struct err *e)
{
    (void)c;
    struct peer *p = owner;
    struct server *s = p->server;
    struct child *refused = NULL;
    name_junk(p, e);
    if (p->state == PEER_NEW && p->child != NULL && p->child->why.kind != ERR_OK)
        refused = p->child;
    mind_end(p, e);
    peer_free(p);
    if (refused != NULL)
        children_refused(s, refused);
    roster_fill(s);
    server_settle(s);
}

void peer_give_up(struct peer *p, const char *why)
{
    struct err e = { 0 };
    err_set(&e, ERR_PEER, "%s", why);
    mind_end(p, &e);
    peer_free(p);
}

static const struct conn_calls conn_calls = { hear_place, hear_frame, closed, hear_expect, hear_rest };

static double hello_time(const struct peer *p)
{
    return fmin(half_open, p->server->conf->join_timeout);
}

/* Whatever trickles in, its HELLO has to be whole by then. */
static void no_hello(evutil_socket_t fd, short what, void *self)
{
    (void)fd, (void)what;
    struct peer *p = self;
    if (!told_enough(p->server))
        log_note(p->server->log, "a connection is closed: no HELLO came within %g s",
                 hello_time(p));
    peer_free(p);
}

/* Without memory for a timer the number of such connections is limited all the same. */
static void limit_hello(struct peer *p)
{
    if (p->child != NULL)
        return;
    struct timeval t = server_interval(hello_time(p));
    p->hello_limit = event_new(p->server->base, -1, 0, no_hello, p);
    if (p->hello_limit != NULL)
        event_add(p->hello_limit, &t);
}

void peer_greeted(struct peer *p)
{
    if (p->hello_limit != NULL)
        event_free(p->hello_limit);
    p->hello_limit = NULL;
}

static struct conn *connect_peer(struct peer *p, int fd, struct err *e)
{
    struct link link;
    if (link_plain(&link, fd, fd) < 0) {
        err_sys(e, "connection");
        link.ops->close(&link);
        return NULL;
    }
    if (p->via != NULL && address_guarded(&p->via->address) &&
        guard_link(p->server->guard, &link, NULL, e) < 0)
        return NULL;
    return conn_new(p->server->base, &link, &conn_calls, p, e);
}

struct peer *peer_new(struct server *s, int fd, const struct listener *via, struct child *child,
                      struct err *e)
{
    struct peer *p = mem_new(1, sizeof *p, e);
    if (p == NULL) {
        close(fd);
        return NULL;
    }
    *p = (struct peer){ .server = s, .via = via, .child = child, .rank = NO_PLACE };
    p->conn = connect_peer(p, fd, e);
    if (p->conn == NULL) {
        free(p);
        return NULL;
    }
    limit_hello(p);
    p->next = s->peers;
    s->peers = p;
    return p;
}

static void add_traffic(struct traffic *past, const struct conn *c)
{
    past->received += conn_received(c);
    past->sent += conn_sent(c);
}

void peer_free(struct peer *p)
{
    struct server *s = p->server;
    struct peer **at = &s->peers;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    if (p->rank != NO_PLACE) {
        add_traffic(&s->places[p->rank].past, p->conn);
        if (s->places[p->rank].peer == p)
            s->places[p->rank].peer = NULL;
    }
    add_traffic(&s->past, p->conn);
    peer_greeted(p);
    conn_free(p->conn);
    hello_free(&p->hello);
    free(p->payload);
    free(p);
}

void peer_send(struct peer *p, enum frame_type type, unsigned flags, const char *text)
{
    struct err e = { 0 };
    struct frame f = { .type = type, .flags = flags, .seq = FRAME_NO_SEQ, .length = strlen(text) };
    if (conn_send(p->conn, &f, text, &e) < 0)
        log_note(p->server->log, "%s: %s", p->label, e.text);
}

/* failure: why there is nothing for it to do, as an ERROR; NULL: the run is over, as a BYE. */
void peer_dismiss(struct peer *p, const struct err *failure)
{
    if (p->state == PEER_LEAVING)
        return;
    p->state = PEER_LEAVING;
    if (failure != NULL)
        peer_send(p, FRAME_ERROR, failure->kind, failure->text);
    else
        peer_send(p, FRAME_BYE, 0, "");
    conn_finish(p->conn);
}
