/* The figures of the run over HTTP (--metrics): who may ask, and how long. */
#include "run/server/metrics.h"

#include <event2/bufferevent.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/server/figures.h"

enum {
    CALLS = 16,          /* connections at a time; the oldest goes */
    HEADERS_MAX = 8192,  /* bytes of a request, */
    BODY_MAX = 1024,     /* which has no use for a body */
    LOOKS = 11,          /* at the number of updates, a second apart */
};
static const double longest_call = 5; /* seconds from its connection to the last byte of the answer */

/* A connection. It is held here, too, so that it can be told when evhttp has let go of it. */
struct call {
    struct bufferevent *io; /* NULL: none */
    double since;
};

struct metrics {
    struct server *server;
    struct address address;
    int fd; /* NO_FD: it does not listen */
    struct evconnlistener *listener;
    struct evhttp *http;
    struct call call[CALLS];
    struct figures figures;
    struct {
        double at;
        uint64_t updates;
    } look[LOOKS]; /* looks % LOOKS is the next */
    size_t looks;
};

/* evhttp takes its functions off what it is done with. */
static bool over(const struct call *c)
{
    bufferevent_event_cb event = NULL;
    bufferevent_getcb(c->io, NULL, NULL, &event, NULL);
    return event == NULL;
}

static void let_go(struct call *c)
{
    if (c->io != NULL)
        bufferevent_decref(c->io);
    c->io = NULL;
}

/* evhttp reads its end in the next turn of the loop, and frees it. */
static void cut(struct call *c)
{
    if (c->io != NULL && !over(c))
        shutdown(bufferevent_getfd(c->io), SHUT_RDWR);
}

static void sweep(struct metrics *m, double now)
{
    for (int i = 0; i < CALLS; i++) {
        struct call *c = &m->call[i];
        if (c->io != NULL && over(c))
            let_go(c);
        else if (c->io != NULL && now - c->since > longest_call)
            cut(c);
    }
}

/* An empty place, made by cutting off the oldest call if need be. */
static struct call *place(struct metrics *m)
{
    struct call *oldest = &m->call[0];
    for (int i = 0; i < CALLS; i++) {
        if (m->call[i].io == NULL)
            return &m->call[i];
        if (m->call[i].since < oldest->since)
            oldest = &m->call[i];
    }
    cut(oldest);
    let_go(oldest);
    return oldest;
}

/* For a connection that was just taken. */
static struct bufferevent *on_connection(struct event_base *base, void *self)
{
    struct metrics *m = self;
    double now = clock_now();
    sweep(m, now);
    struct bufferevent *io = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
    if (io == NULL)
        return NULL;
    bufferevent_incref(io);
    *place(m) = (struct call){ io, now };
    return io;
}

static bool wants_openmetrics(struct evhttp_request *r)
{
    const char *accept = evhttp_find_header(evhttp_request_get_input_headers(r), "Accept");
    return accept != NULL && strstr(accept, "application/openmetrics-text") != NULL;
}

static void on_request(struct evhttp_request *r, void *self)
{
    struct metrics *m = self;
    const char *path = evhttp_uri_get_path(evhttp_request_get_evhttp_uri(r));
    struct evkeyvalq *headers = evhttp_request_get_output_headers(r);
    bool openmetrics = wants_openmetrics(r);
    evhttp_add_header(headers, "Connection", "close");
    if (path == NULL || strcmp(path, "/metrics") != 0) {
        evhttp_add_header(headers, "Content-Type", "text/plain; charset=utf-8");
        evbuffer_add_printf(evhttp_request_get_output_buffer(r), "The figures of dsgd-ps are at /metrics\n");
        evhttp_send_reply(r, HTTP_NOTFOUND, "Not Found", NULL);
        return;
    }
    evhttp_add_header(headers, "Content-Type",
                      openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                  : "text/plain; version=0.0.4; charset=utf-8");
    int rc = figures_print(&m->figures, m->server, openmetrics, evhttp_request_get_output_buffer(r));
    evhttp_send_reply(r, rc < 0 ? HTTP_INTERNAL : HTTP_OK, rc < 0 ? "No memory" : "OK", NULL);
}

static int open_http(struct metrics *m, struct err *e)
{
    struct event_base *base = m->server->base;
    m->http = evhttp_new(base);
    m->listener = evconnlistener_new(base, NULL, NULL, LEV_OPT_CLOSE_ON_EXEC, 0, m->fd);
    if (m->http == NULL || m->listener == NULL)
        return err_memory(e);
    evhttp_set_allowed_methods(m->http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD);
    evhttp_set_max_headers_size(m->http, HEADERS_MAX);
    evhttp_set_max_body_size(m->http, BODY_MAX);
    evhttp_set_timeout(m->http, (int)longest_call);
    evhttp_set_bevcb(m->http, on_connection, m);
    evhttp_set_gencb(m->http, on_request, m);
    if (evhttp_bind_listener(m->http, m->listener) == NULL)
        return err_memory(e);
    return 0;
}

static int parse(struct address *a, const char *text, struct err *e)
{
    if (address_parse(a, text, e) < 0)
        return -1;
    a->token[0] = '\0';
    if (a->kind == ADDRESS_UNIX || a->kind == ADDRESS_TCP)
        return 0;
    return err_set(e, ERR_USAGE, "address '%s': write unix:PATH or tcp:HOST:PORT", text);
}

static int listen_at(struct metrics *m, const char *text, struct err *e)
{
    const bool open = m->server->conf->metrics_open;
    if (parse(&m->address, text, e) < 0)
        return -1;
    m->fd = address_listen(&m->address, open, e);
    if (m->fd >= 0)
        return listen(m->fd, CALLS) < 0 ? err_sys(e, "%s", text) : 0; /* no more of them at once */
    if (e->kind == ERR_USAGE && !open)
        err_set(e, ERR_USAGE, "%s is no loopback address; --metrics-open allows others", text);
    return -1;
}

static void tell(const struct metrics *m)
{
    char text[ADDRESS_TEXT];
    const struct log *log = m->server->log;
    const char *doubt = address_doubt(&m->address);
    address_text(&m->address, text, sizeof text);
    if (m->address.kind == ADDRESS_TCP)
        log_note(log, "the figures of the run are at http://%s/metrics", text + strlen("tcp:"));
    if (m->server->conf->metrics_open && m->address.kind == ADDRESS_TCP)
        log_note(log, "%s: --metrics-open: whoever reaches this address may read them", text);
    if (doubt != NULL)
        log_note(log, "%s: %s", text, doubt);
}

int metrics_open(struct server *s, struct err *e)
{
    if (s->conf->metrics == NULL)
        return s->conf->metrics_open ? err_set(e, ERR_USAGE, "--metrics-open: at which address? (--metrics)") : 0;
    struct metrics *m = s->metrics = mem_new(1, sizeof *m, e);
    if (m == NULL)
        return -1;
    m->server = s;
    m->fd = NO_FD;
    if (listen_at(m, s->conf->metrics, e) < 0 || open_http(m, e) < 0)
        return err_ctx(e, "--metrics");
    tell(m);
    return 0;
}

static void see(void *self, const struct trace_event *ev)
{
    struct metrics *m = self;
    if (ev->kind == TRACE_PUSH)
        figures_take(&m->figures, ev->staleness);
}

void metrics_watch(struct server *s)
{
    if (s->metrics == NULL)
        return;
    s->trace.see = see;
    s->trace.self = s->metrics;
}

/* A second apart, or a little more. */
static void look(struct metrics *m, double now)
{
    const struct server *s = m->server;
    size_t first = m->looks < LOOKS ? 0 : m->looks % LOOKS, last = (m->looks + LOOKS - 1) % LOOKS;
    if (s->phase != PHASE_RUN) {
        m->figures.per_second = 0;
        return;
    }
    if (m->looks > 0 && now - m->look[last].at < 1)
        return;
    uint64_t updates = aggregate_iteration(s->aggregate);
    if (m->looks > 0)
        m->figures.per_second = (double)(updates - m->look[first].updates) / (now - m->look[first].at);
    m->look[m->looks % LOOKS].at = now;
    m->look[m->looks++ % LOOKS].updates = updates;
}

void metrics_tick(struct server *s)
{
    if (s->metrics == NULL)
        return;
    double now = clock_now();
    sweep(s->metrics, now);
    look(s->metrics, now);
}

void metrics_close(struct server *s)
{
    struct metrics *m = s->metrics;
    if (m == NULL)
        return;
    if (m->http != NULL)
        evhttp_free(m->http); /* and the listener, if it has that */
    for (int i = 0; i < CALLS; i++)
        let_go(&m->call[i]);
    if (m->fd != NO_FD)
        address_close(&m->address, m->fd);
    free(m);
    s->metrics = NULL;
}
