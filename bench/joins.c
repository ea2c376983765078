/* N workers join over TLS with mutual certificates, one after the other from one process: prints the
 * seconds from the first dial on, which the first accept follows, to the last WELCOME. `ours`: with
 * dsgd-ps at ADDRESS, by a worker's own functions; `bare`: as many handshakes, and a byte each way,
 * by OpenSSL alone, blocking, with a process of its own.
 * usage: joins ours|bare ADDRESS N CERT KEY CA [SERVER_CERT SERVER_KEY] */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "net/channel.h"
#include "net/guard_openssl.h"
#include "run/hello.h"

struct joins {
    struct address address;
    uint64_t n;
    struct secrets worker, server;
};

/* HELLO of a worker with two labels and three features. */
static int greet(struct channel *c, struct err *e)
{
    char program[] = "0", name[] = "bench", none[] = "";
    struct hello h = { .program = program, .name = name, .rank = RANK_ANY, .run = none, .kernel = none,
                       .blas = none, .rows = 100, .features = 3 };
    struct frame f = { .type = FRAME_HELLO };
    static const char token[TOKEN_TEXT] = { 0 };
    char *text = classes_add(&h.classes, "-1", -1, "bench:1", 0, e) < 0 ||
                         classes_add(&h.classes, "+1", 1, "bench:2", 1, e) < 0
                     ? NULL
                     : hello_text(&h, e);
    int rc = text == NULL ? -1 : channel_send(c, &f, token, sizeof token, text, strlen(text), e);
    classes_free(&h.classes);
    free(text);
    return rc;
}

static int hear_welcome(struct channel *c, struct err *e)
{
    struct frame f = { 0 };
    double end = clock_now() + 20;
    int rc;
    do
        rc = channel_wait(c, 1, &f, e); /* heartbeats have no payload */
    while ((rc == 0 || (rc > 0 && f.type == FRAME_HEARTBEAT)) && clock_now() < end);
    if (rc <= 0 || f.type != FRAME_WELCOME)
        return rc < 0 ? -1 : err_set(e, ERR_PEER, "no WELCOME");
    return channel_skip(c, f.length, e);
}

static int join_ours(struct joins *j, struct guard *g, struct err *e)
{
    struct channel *all = mem_new(j->n, sizeof *all, e);
    int rc = all == NULL ? -1 : 0;
    for (uint64_t i = 0; i < j->n && rc == 0; i++)
        rc = channel_open(&all[i], &j->address, g, 5, e) < 0 ? -1 : greet(&all[i], e);
    for (uint64_t i = 0; i < j->n && rc == 0; i++)
        rc = hear_welcome(&all[i], e);
    free(all); /* the end of the process is theirs */
    return rc;
}

/* A handshake of one side, and a byte each way. The socket stays open. */
static int shake_bare(struct guard *g, int fd, bool server)
{
    char byte = 0;
    SSL *s = SSL_new(g->ctx);
    SSL_set_fd(s, fd);
    return server ? SSL_accept(s) == 1 && SSL_read(s, &byte, 1) == 1 && SSL_write(s, &byte, 1) == 1
                  : SSL_connect(s) == 1 && SSL_write(s, &byte, 1) == 1 && SSL_read(s, &byte, 1) == 1;
}

static int serve_bare(const struct joins *j, int listening, struct guard *g)
{
    for (uint64_t i = 0; i < j->n; i++) {
        int fd;
        while ((fd = accept(listening, NULL, NULL)) < 0)
            link_ready(listening, false, 5);
        if (!shake_bare(g, fd, true))
            return 1;
    }
    return 0;
}

static int join_bare(struct joins *j, struct guard *g, struct err *e)
{
    for (uint64_t i = 0; i < j->n; i++) {
        int fd = address_dial(&j->address, 5, e);
        if (fd < 0 || !shake_bare(g, fd, false))
            return err_set(e, ERR_PEER, "no handshake");
    }
    return 0;
}

/* The address that a process of its own serves, in j->address; its pid, or -1. */
static pid_t start_bare(struct joins *j, struct err *e)
{
    struct guard *g = guard_open(&j->server, true, e);
    int listening = g == NULL ? -1 : address_listen(&j->address, 0, e);
    pid_t child = listening < 0 ? -1 : fork();
    if (child == 0)
        _exit(serve_bare(j, listening, g));
    return child;
}

static int run(struct joins *j, bool ours, struct err *e)
{
    int status = 0;
    struct guard *g = guard_open(&j->worker, false, e);
    pid_t child = ours || g == NULL ? 0 : start_bare(j, e);
    if (g == NULL || child < 0)
        return -1;
    double begin = clock_now();
    int rc = ours ? join_ours(j, g, e) : join_bare(j, g, e);
    if (rc == 0)
        printf("%.6f\n", clock_now() - begin);
    if (child > 0)
        waitpid(child, &status, 0);
    return rc == 0 && status != 0 ? err_set(e, ERR_PEER, "the server failed") : rc;
}

int main(int argc, char **argv)
{
    struct joins j = { 0 };
    struct err e = { 0 };
    bool ours = argc > 1 && strcmp(argv[1], "ours") == 0;
    signal(SIGPIPE, SIG_IGN);
    if (argc != (ours ? 7 : 9))
        err_set(&e, ERR_USAGE, "ours|bare ADDRESS N CERT KEY CA [SERVER_CERT SERVER_KEY]");
    else if (address_parse(&j.address, argv[2], &e) == 0 && num_whole(argv[3], &j.n, &e) == 0) {
        j.worker = (struct secrets){ .cert = argv[4], .cert_key = argv[5], .ca = argv[6] };
        if (!ours)
            j.server = (struct secrets){ .cert = argv[7], .cert_key = argv[8], .ca = argv[6] };
        run(&j, ours, &e);
    }
    return err_exit(&e, "joins");
}
