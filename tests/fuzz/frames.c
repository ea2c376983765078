/* Frames: any bytes as what a worker sends to a server, or a server to a worker. The first byte says which. */
#include <event2/event.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "net/channel.h"
#include "net/conn.h"
#include "run/hello.h"
#include "run/packed.h"

enum {
    MOST = 1 << 16,
    FIRST = 64, /* of a payload: then its owner is asked again */
    BASE = 8,   /* bytes of the version that a change is of */
};

struct owner {
    struct event_base *base;
    _Alignas(float) unsigned char payload[MOST];
    int over;
};

/* As the server does: a length is looked at before there is room for it. */
static void *place(void *self, struct conn *c, const struct frame *f, struct err *e)
{
    struct owner *o = self;
    if (f->length > FIRST && f->length <= MOST)
        conn_ask_again(c, FIRST);
    if (f->length <= MOST)
        return o->payload;
    err_set(e, ERR_PEER, "too long");
    return NULL;
}

static void *rest(void *self, struct conn *c, const struct frame *f, void *first, struct err *e)
{
    (void)self, (void)c;
    promise(f->length > FIRST);
    if (*(const unsigned char *)first != '!')
        return first;
    err_set(e, ERR_PEER, "wrong");
    return NULL;
}

/* Of a model of 1000 parameters. */
static void list(const unsigned char *bytes, size_t n, struct err *e)
{
    struct entries g;
    if (packed_read(&g, bytes, n, 1000, e) == 0)
        promise(g.n <= 1000 && (g.n == 0 || g.index[g.n - 1] < 1000));
}

static int frame(void *self, struct conn *c, const struct frame *f, void *payload, struct err *e)
{
    struct hello h = { 0 };
    struct welcome w = { 0 };
    struct work work;
    (void)self, (void)c;
    if (f->type == FRAME_HELLO && hello_parse(&h, payload, (size_t)f->length, e) == 0)
        promise(h.name != NULL && h.run != NULL);
    hello_free(&h);
    if (f->type == FRAME_WELCOME && welcome_parse(&w, payload, (size_t)f->length, e) == 0)
        promise(w.model != NULL);
    welcome_free(&w);
    if (f->type == FRAME_GRAD && f->length >= FRAME_WORK)
        work_decode(&work, payload);
    if (f->type == FRAME_GRAD && f->flags & GRAD_SPARSE && f->length >= FRAME_WORK)
        list((unsigned char *)payload + FRAME_WORK, (size_t)f->length - FRAME_WORK, e);
    if (f->type == FRAME_PARAMS && f->flags & PARAMS_DELTA && f->length >= BASE)
        list((unsigned char *)payload + BASE, (size_t)f->length - BASE, e);
    return 0;
}

static void closed(void *self, struct conn *c, struct err *e)
{
    struct owner *o = self;
    (void)c, (void)e;
    o->over = 1;
    event_base_loopbreak(o->base);
}

static void serve(int ours, int theirs)
{
    static const struct conn_calls calls = { place, frame, closed, NULL, rest };
    static struct owner o;
    struct err e = { 0 };
    if (o.base == NULL)
        o.base = event_base_new();
    o.over = 0;
    shutdown(theirs, SHUT_WR);
    struct link link;
    promise(link_plain(&link, ours, ours) == 0);
    struct conn *c = conn_new(o.base, &link, &calls, &o, &e);
    promise(c != NULL);
    for (int turn = 0; !o.over && turn < 64; turn++)
        event_base_loop(o.base, EVLOOP_NONBLOCK);
    promise(o.over); /* the end of the stream is always seen */
    conn_free(c);
}

static void work(int ours, int theirs)
{
    struct channel c = { 0 };
    struct frame f;
    struct err e = { 0 };
    static _Alignas(float) unsigned char payload[MOST];
    shutdown(theirs, SHUT_WR);
    if (channel_take(&c, ours, ours, &e) < 0)
        return;
    c.limit = 1;
    c.beat = INFINITY;
    while (channel_wait(&c, 1, &f, &e) > 0 && f.length <= MOST &&
           channel_read(&c, payload, (size_t)f.length, &e) == 0)
        frame(NULL, NULL, &f, payload, &e);
    channel_close(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    int fd[2];
    signal(SIGPIPE, SIG_IGN);
    if (n == 0 || n > MOST || socketpair(AF_UNIX, SOCK_STREAM, 0, fd) < 0)
        return 0;
    if (write(fd[1], data + 1, n - 1) == (ssize_t)(n - 1)) {
        if (data[0] % 2)
            work(fd[0], fd[1]);
        else
            serve(fd[0], fd[1]);
    } else
        close(fd[0]);
    close(fd[1]);
    return 0;
}
