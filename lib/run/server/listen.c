/* Where workers connect: listeners and their tokens. */
#include <event2/listener.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "run/server/announce.h"

enum {
    ACCEPTS_A_TURN = 64,
    HALF_OPEN_MAX = 64, /* connections that have not said HELLO; the oldest goes */
};

/* The oldest of those that have not said HELLO, or NULL, and how many there are. */
static struct peer *oldest_half_open(const struct server *s, size_t *n)
{
    struct peer *oldest = NULL;
    *n = 0;
    for (struct peer *p = s->peers; p != NULL; p = p->next)
        if (p->state == PEER_NEW && p->child == NULL) {
            oldest = p; /* the list has the newest first */
            ++*n;
        }
    return oldest;
}

/* What it has said already is heard first: it may be a worker among many strangers. */
static void limit_half_open(struct server *s)
{
    size_t n;
    struct peer *oldest = oldest_half_open(s, &n);
    if (n <= HALF_OPEN_MAX)
        return;
    conn_poll(oldest->conn);
    oldest = oldest_half_open(s, &n);
    if (n <= HALF_OPEN_MAX)
        return;
    log_detail(s->log, "more than %d connections that say nothing: the oldest is closed",
               HALF_OPEN_MAX);
    peer_free(oldest);
}

/* So many are taken at once; then those that are here are heard. */
static void take_turns(struct listener *at)
{
    static const struct timeval now = { 0 };
    if (++at->burst == 1)
        event_add(at->again, &now);
    if (at->burst == ACCEPTS_A_TURN)
        evconnlistener_disable(at->events);
}

static void on_accept(struct evconnlistener *l, evutil_socket_t fd, struct sockaddr *from, int n,
                      void *self)
{
    (void)l, (void)from, (void)n;
    struct listener *at = self;
    struct server *s = at->server;
    struct err e = { 0 };
    if (peer_new(s, fd, at, NULL, &e) == NULL)
        log_note(s->log, "a connection could not be taken: %s", e.text);
    take_turns(at);
    limit_half_open(s);
}

/* No descriptors are left, most likely: who waits, waits a second longer. */
static void on_accept_error(struct evconnlistener *l, void *self)
{
    static const struct timeval second = { .tv_sec = 1 };
    struct listener *at = self;
    log_note(at->server->log, "connections cannot be taken: %s",
             evutil_socket_error_to_string(EVUTIL_SOCKET_ERROR()));
    at->burst = 0;
    evconnlistener_disable(l);
    event_add(at->again, &second);
}

/* After a turn, and after the pause that follows it. While workers train it has some length, so that strangers who come
 * one by one are taken together and do not wake the server each. */
static void accept_again(evutil_socket_t fd, short what, void *self)
{
    (void)fd, (void)what;
    static const struct timeval now = { 0 }, pause = { .tv_usec = 10000 };
    struct listener *at = self;
    if (at->burst == 0) {
        evconnlistener_enable(at->events);
        return;
    }
    at->burst = 0;
    evconnlistener_disable(at->events);
    event_add(at->again, at->server->phase == PHASE_RUN ? &pause : &now);
}

/* What makes this address less safe than it could be. */
static void warn(const struct server *s, const struct listener *at)
{
    char text[ADDRESS_TEXT];
    const char *why = address_doubt(&at->address);
    if (at->address.kind == ADDRESS_TCP && s->conf->insecure)
        why = "--insecure: whoever reaches this address may join";
    if (why != NULL)
        log_note(s->log, "%s: %s", address_text(&at->address, text, sizeof text), why);
}

/* One for all. */
static int open_guard(struct server *s, struct err *e)
{
    if (s->guard == NULL)
        s->guard = guard_open(&s->conf->secrets, true, e);
    return s->guard == NULL ? -1 : 0;
}

/* The token that a server which was killed left in its address file opens the same port again, for its workers know it.
 * Only if nobody else could have read it, or written it. */
static bool old_token(const struct server *s, struct address *a)
{
    struct err ignored = { 0 };
    struct address old = { 0 };
    struct stat st;
    const char *path = s->conf->address_file;
    if (s->resumed == NULL || path == NULL || a->port == 0 || lstat(path, &st) < 0 ||
        !S_ISREG(st.st_mode) || (st.st_mode & 077) != 0 || st.st_uid != geteuid())
        return false;
    char *at = mem_print(&ignored, "@%s", path);
    bool same = at != NULL && address_parse_or_file(&old, at, &ignored) == 0 &&
                old.kind == a->kind && old.port == a->port && old.token[0] != '\0';
    free(at);
    if (same)
        memcpy(a->token, old.token, sizeof a->token);
    return same;
}

static int listen_one(struct server *s, struct listener *at, const char *text, struct err *e)
{
    at->server = s;
    if (address_parse(&at->address, text, e) < 0)
        return -1;
    if (at->address.kind == ADDRESS_STDIO)
        return err_set(e, ERR_USAGE, "-l '%s': workers on stdin and stdout are started with -x",
                       text);
    if (address_guarded(&at->address) && open_guard(s, e) < 0)
        return -1;
    at->address.token[0] = '\0';
    if (at->address.kind == ADDRESS_TCP && !s->conf->insecure && !old_token(s, &at->address) &&
        address_make_token(&at->address, e) < 0)
        return -1;
    at->fd = address_listen(&at->address, s->conf->insecure, e);
    if (at->fd < 0)
        return -1;
    s->n_listeners++;
    at->again = event_new(s->base, -1, 0, accept_again, at);
    at->events = evconnlistener_new(s->base, on_accept, at, LEV_OPT_CLOSE_ON_EXEC, 0, at->fd);
    if (at->again == NULL || at->events == NULL)
        return err_memory(e);
    evconnlistener_set_error_cb(at->events, on_accept_error);
    warn(s, at);
    return 0;
}

int listen_open(struct server *s, struct err *e)
{
    const struct text_list *all = &s->conf->listen;
    if (all->n == 0 && (s->conf->ready_fd != NO_FD || s->conf->address_file != NULL))
        return err_set(e, ERR_USAGE, "--ready-fd and --address-file need an address to tell (-l)");
    s->listeners = mem_new(all->n, sizeof *s->listeners, e);
    if (s->listeners == NULL)
        return -1;
    for (size_t i = 0; i < all->n; i++)
        if (listen_one(s, &s->listeners[i], all->v[i], e) < 0)
            return -1;
    if (s->guard == NULL && secrets_given(&s->conf->secrets))
        return err_set(e, ERR_USAGE,
                       "a key or certificates are for tls: addresses, and there is none (-l tls:)");
    return all->n == 0 ? 0 : announce(s, e);
}

void listen_close(struct server *s)
{
    for (size_t i = 0; i < s->n_listeners; i++) {
        struct listener *at = &s->listeners[i];
        if (at->events != NULL)
            evconnlistener_free(at->events);
        if (at->again != NULL)
            event_free(at->again);
        address_close(&at->address, at->fd);
    }
    announce_close(s);
    s->n_listeners = 0;
}
