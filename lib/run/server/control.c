/* Orders for a run while it goes on (--control): who gives them, and their answers. */
#include "run/server/control.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/listener.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "run/server/orders.h"
#include "run/server/save.h"

enum {
    CLIENTS = 8,           /* at a time; the oldest goes */
    LINE_MAX_BYTES = 4096, /* of an order */
    UNREAD_MAX = 1 << 20,  /* bytes of answers that a client has not taken */
};

struct client {
    struct client *next; /* older */
    struct control *control;
    struct bufferevent *io;
    bool waits;      /* for a checkpoint of at least */
    uint64_t wanted; /* so many updates */
    bool ended;      /* it says no more: it is closed when it has its answers */
};

struct control {
    struct server *server;
    struct address address;
    int fd; /* NO_FD: it does not listen */
    struct evconnlistener *listener;
    struct client *clients;
};

static void client_free(struct client *c)
{
    struct client **at = &c->control->clients;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    bufferevent_free(c->io);
    free(c);
}

static bool has_all(const struct client *c)
{
    return c->ended && !c->waits && evbuffer_get_length(bufferevent_get_output(c->io)) == 0;
}

/* Takes the answer. */
static void answer(struct client *c, json_t *text)
{
    char *line = text == NULL ? NULL : json_dumps(text, JSON_COMPACT);
    if (line != NULL)
        evbuffer_add_printf(bufferevent_get_output(c->io), "%s\n", line);
    free(line);
    json_decref(text);
}

void control_saved(struct server *s, const struct err *failure)
{
    if (s->control == NULL)
        return;
    for (struct client *c = s->control->clients; c != NULL; c = c->next) {
        uint64_t saved = save_done(s);
        if (!c->waits || (failure == NULL && (saved == NO_PLACE || saved < c->wanted)))
            continue;
        c->waits = false;
        answer(c, failure == NULL ? order_saved(saved) : order_refused(failure));
    }
}

/* Its answer may come at once, or later: then nothing else is done for it meanwhile. */
static void obey(struct client *c, const char *line)
{
    struct server *s = c->control->server;
    c->waits = order_waits(s, line);
    c->wanted = c->waits ? aggregate_iteration(s->aggregate) : 0;
    json_t *text = order_answer(s, line);
    if (text != NULL) {
        c->waits = false;
        answer(c, text);
    }
    event_active(s->settle, 0, 0);
}

static void on_read(struct bufferevent *io, void *self)
{
    struct client *c = self;
    struct evbuffer *in = bufferevent_get_input(io), *out = bufferevent_get_output(io);
    char *line = NULL;
    while (!c->waits && evbuffer_get_length(out) < UNREAD_MAX &&
           (line = evbuffer_readln(in, NULL, EVBUFFER_EOL_CRLF)) != NULL) {
        obey(c, line);
        free(line);
    }
    if (!c->waits && evbuffer_get_length(in) > LINE_MAX_BYTES)
        client_free(c);
}

/* An answer has gone out: more orders may be there. */
static void on_written(struct bufferevent *io, void *self)
{
    struct client *c = self;
    if (has_all(c))
        client_free(c);
    else if (!c->waits)
        on_read(io, c);
}

static void on_event(struct bufferevent *io, short what, void *self)
{
    struct client *c = self;
    (void)io;
    c->ended = true;
    if (!(what & BEV_EVENT_EOF) || has_all(c))
        client_free(c);
}

static void limit_clients(struct control *k)
{
    size_t n = 0;
    for (struct client *c = k->clients, *next; c != NULL; c = next) {
        next = c->next;
        if (++n > CLIENTS)
            client_free(c);
    }
}

static void on_accept(struct evconnlistener *l, evutil_socket_t fd, struct sockaddr *from, int n, void *self)
{
    (void)l, (void)from, (void)n;
    struct control *k = self;
    struct err ignored = { 0 };
    struct client *c = mem_new(1, sizeof *c, &ignored);
    struct bufferevent *io = bufferevent_socket_new(k->server->base, fd, BEV_OPT_CLOSE_ON_FREE);
    if (c == NULL || io == NULL) {
        free(c);
        if (io != NULL)
            bufferevent_free(io);
        else
            evutil_closesocket(fd);
        return;
    }
    *c = (struct client){ .next = k->clients, .control = k, .io = io };
    k->clients = c;
    bufferevent_setcb(io, on_read, on_written, on_event, c);
    bufferevent_setwatermark(io, EV_READ, 0, 2 * LINE_MAX_BYTES);
    bufferevent_enable(io, EV_READ | EV_WRITE);
    limit_clients(k);
}

static int parse(struct address *a, const char *text, struct err *e)
{
    if (address_parse(a, text, e) < 0)
        return -1;
    if (a->kind != ADDRESS_UNIX)
        return err_set(e, ERR_USAGE, "address '%s': orders come by unix:PATH alone", text);
    const char *doubt = address_doubt(a);
    return doubt == NULL ? 0 : err_set(e, ERR_USAGE, "%s: %s", text, doubt);
}

int control_open(struct server *s, struct err *e)
{
    if (s->conf->control == NULL)
        return 0;
    struct control *k = s->control = mem_new(1, sizeof *k, e);
    if (k == NULL)
        return -1;
    k->server = s;
    k->fd = NO_FD;
    if (parse(&k->address, s->conf->control, e) < 0)
        return err_ctx(e, "--control");
    k->fd = address_listen(&k->address, false, e);
    if (k->fd < 0 || listen(k->fd, CLIENTS) < 0)
        return k->fd < 0 ? err_ctx(e, "--control") : err_sys(e, "--control");
    k->listener = evconnlistener_new(s->base, on_accept, k, LEV_OPT_CLOSE_ON_EXEC, 0, k->fd);
    return k->listener == NULL ? err_memory(e) : 0;
}

void control_close(struct server *s)
{
    struct control *k = s->control;
    if (k == NULL)
        return;
    while (k->clients != NULL) {
        struct client *c = k->clients;
        if (evbuffer_get_length(bufferevent_get_output(c->io)) > 0)
            send(bufferevent_getfd(c->io), evbuffer_pullup(bufferevent_get_output(c->io), -1),
                 evbuffer_get_length(bufferevent_get_output(c->io)), MSG_NOSIGNAL | MSG_DONTWAIT);
        client_free(c);
    }
    if (k->listener != NULL)
        evconnlistener_free(k->listener);
    if (k->fd != NO_FD)
        address_close(&k->address, k->fd);
    free(k);
    s->control = NULL;
}
