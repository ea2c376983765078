/* Frames of BYTES each way over TLS on this machine, ROUNDS times, in two processes: `ours`, a
 * worker's channel and a server's connection; `bare`, the same bytes by OpenSSL alone, blocking.
 * usage: exchange ours|bare BYTES ROUNDS KEYFILE */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "net/channel.h"
#include "net/conn.h"
#include "net/guard_openssl.h"
#include "net/socket.h"

struct exchange {
    uint64_t bytes, rounds;
    struct secrets secrets;
    struct address address;
    char *payload;
    struct event_base *base;
};

static void *place(void *self, struct conn *c, const struct frame *f, struct err *e)
{
    (void)c, (void)e;
    struct exchange *x = self;
    return f->length <= x->bytes ? x->payload : NULL;
}

static int answer(void *self, struct conn *c, const struct frame *f, void *payload, struct err *e)
{
    (void)payload;
    struct exchange *x = self;
    struct frame back = { .type = FRAME_PARAMS, .flags = PARAMS_FULL, .seq = f->seq };
    return conn_params(c, &back, (const float *)(const void *)x->payload, x->bytes, e);
}

static void closed(void *self, struct conn *c, struct err *e)
{
    (void)e;
    struct exchange *x = self;
    conn_free(c);
    event_base_loopbreak(x->base);
}

static int serve_ours(struct exchange *x, int fd, struct guard *g, struct err *e)
{
    static const struct conn_calls calls = { place, answer, closed, NULL, NULL };
    struct link link;
    x->base = event_base_new();
    if (link_plain(&link, fd, fd) < 0 || guard_link(g, &link, NULL, e) < 0 ||
        conn_new(x->base, &link, &calls, x, e) == NULL)
        return -1;
    event_base_dispatch(x->base);
    event_base_free(x->base);
    return 0;
}

static int ask_ours(struct exchange *x, struct guard *g, struct err *e)
{
    struct channel c;
    if (channel_open(&c, &x->address, g, 5, e) < 0)
        return -1;
    for (uint64_t i = 0; i < x->rounds; i++) {
        struct frame f = { .type = FRAME_GRAD, .seq = i };
        if (channel_send(&c, &f, NULL, 0, x->payload, x->bytes, e) < 0 ||
            channel_wait(&c, 60, &f, e) <= 0 || channel_read(&c, x->payload, x->bytes, e) < 0)
            return -1;
    }
    channel_close(&c);
    return 0;
}

static SSL *bare(int fd, struct guard *g)
{
    SSL_CTX_set_read_ahead(g->ctx, 0);
    SSL_CTX_set_default_read_buffer_len(g->ctx, 0);
    SSL *s = SSL_new(g->ctx);
    if (s != NULL)
        SSL_set_fd(s, fd);
    return s;
}

static int take_all(SSL *s, char *p, size_t n)
{
    for (size_t got; n > 0; p += got, n -= got)
        if (SSL_read_ex(s, p, n, &got) != 1)
            return -1;
    return 0;
}

static int serve_bare(struct exchange *x, int fd, struct guard *g)
{
    size_t done;
    socket_tune(fd);
    SSL *s = bare(fd, g);
    if (s == NULL || SSL_accept(s) != 1)
        return -1;
    while (take_all(s, x->payload, x->bytes) == 0)
        SSL_write_ex(s, x->payload, x->bytes, &done);
    SSL_free(s);
    return 0;
}

static int ask_bare(struct exchange *x, struct guard *g, struct err *e)
{
    size_t done;
    SSL *s = bare(address_dial(&x->address, 5, e), g);
    if (s == NULL || SSL_connect(s) != 1)
        return err_set(e, ERR_PEER, "no connection");
    for (uint64_t i = 0; i < x->rounds; i++)
        if (SSL_write_ex(s, x->payload, x->bytes, &done) != 1 ||
            take_all(s, x->payload, x->bytes) < 0)
            return err_set(e, ERR_PEER, "the connection broke");
    SSL_shutdown(s);
    close(SSL_get_fd(s));
    SSL_free(s);
    return 0;
}

static int run(struct exchange *x, bool ours, struct err *e)
{
    int status = -1, listening = address_listen(&x->address, 0, e);
    x->payload = mem_new(x->bytes, 1, e);
    if (listening < 0 || x->payload == NULL)
        return -1;
    pid_t child = fork();
    if (child < 0)
        return err_sys(e, "fork");
    struct guard *g = guard_open(&x->secrets, child == 0, e);
    if (child == 0) {
        int fd;
        while ((fd = accept(listening, NULL, NULL)) < 0)
            link_ready(listening, false, 5);
        _exit(g == NULL || (ours ? serve_ours(x, fd, g, e) : serve_bare(x, fd, g)) < 0);
    }
    int rc = g == NULL ? -1 : ours ? ask_ours(x, g, e) : ask_bare(x, g, e);
    waitpid(child, &status, 0);
    return rc == 0 && status != 0 ? err_set(e, ERR_PEER, "the server failed") : rc;
}

int main(int argc, char **argv)
{
    struct exchange x = { 0 };
    struct err e = { 0 };
    signal(SIGPIPE, SIG_IGN);
    if (argc != 5)
        err_set(&e, ERR_USAGE, "ours|bare BYTES ROUNDS KEYFILE");
    else if (num_whole(argv[2], &x.bytes, &e) == 0 && num_whole(argv[3], &x.rounds, &e) == 0 &&
             address_parse(&x.address, "tls:127.0.0.1:0", &e) == 0) {
        x.secrets.key_file = argv[4];
        run(&x, strcmp(argv[1], "ours") == 0, &e);
    }
    return err_exit(&e, "exchange");
}
