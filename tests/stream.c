/* What goes out through the event loop: how long a stream waits for a reader, and what then. */
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/tap.h"
#include "run/server/stream.h"

enum { BYTES = 1 << 20, TAKEN = 8 };

struct heard {
    struct event_base *base;
    char broken[sizeof ((struct err *)0)->text];
    enum err_kind kind;
    unsigned times; /* that it broke */
    bool finished;
};

static void broken(void *self, struct err *e)
{
    struct heard *h = self;
    memcpy(h->broken, e->text, sizeof h->broken);
    h->kind = e->kind;
    h->times++;
}

static void finished(void *self)
{
    struct heard *h = self;
    h->finished = true;
    event_base_loopbreak(h->base);
}

static const struct stream_calls calls = { .broken = broken, .finished = finished };

/* To the end of a pipe, which is the stream's. */
static struct stream *open_stream(struct heard *h, int fd, double patience)
{
    struct err e = { 0 };
    *h = (struct heard){ .base = event_base_new() };
    fcntl(fd, F_SETFL, O_NONBLOCK);
    struct stream_to to = { .name = "pipe", .fd = fd, .own = true, .lossless = true, .patience = patience };
    return stream_open(h->base, &to, &calls, h, &e);
}

static void close_stream(struct heard *h, struct stream *s)
{
    stream_close(s);
    event_base_free(h->base);
}

/* So much that no pipe holds it. */
static void put(struct stream *s)
{
    stream_put(s, calloc(1, BYTES), BYTES);
}

/* Its end is found by the patience alone: nothing else can wake the loop. */
static void test_stopped(void)
{
    int fd[2];
    struct heard h;
    bool made = pipe(fd) == 0;
    struct stream *s = open_stream(&h, fd[1], 0.05);
    put(s);
    event_base_loop(h.base, EVLOOP_NONBLOCK);
    ok(made && !h.finished && h.times == 0 && stream_waiting(s) > 0, "a reader that has stopped is waited for");
    stream_finish(s);
    event_base_dispatch(h.base);
    ok(h.finished && h.times == 1 && same_text(h.broken, "pipe: nobody read for 0.05 s") && h.kind == ERR_SYSTEM &&
           stream_waiting(s) == 0 && stream_over(s),
       "until it has taken nothing for the patience, which is told once, and then the stream is over");
    close_stream(&h, s);
    close(fd[0]);
}

/* Takes what is in a pipe, so that there is room again. */
static void on_time(evutil_socket_t fd, short what, void *self)
{
    char some[1 << 16];
    (void)what;
    unsigned *left = self;
    if (*left > 0 && --*left > 0 && read(fd, some, sizeof some) < 0)
        *left = 0;
}

/* It takes some six times in each patience, and for longer than one: the limit counts from what it took last. */
static void test_slow(void)
{
    static const struct timeval often = { .tv_usec = 250000 };
    int fd[2];
    struct heard h;
    unsigned left = TAKEN;
    bool made = pipe(fd) == 0;
    struct stream *s = open_stream(&h, fd[1], 1.5);
    struct event *reader = event_new(h.base, fd[0], EV_PERSIST, on_time, &left);
    put(s);
    stream_finish(s);
    event_add(reader, &often);
    while (left > 0 && h.times == 0)
        event_base_loop(h.base, EVLOOP_ONCE);
    ok(made && h.times == 0 && stream_waiting(s) > 0, "a slow reader, who takes some within the patience, is not given up");
    event_free(reader);
    close_stream(&h, s);
    close(fd[0]);
}

static void test_unread(const char *fifo)
{
    struct heard h = { .base = event_base_new() };
    struct stream_to to;
    struct err e = { 0 };
    bool found = mkfifo(fifo, 0600) == 0 && stream_find(fifo, &to, &e) == 1;
    ok(found && to.lossless && to.patience == 600 && to.fd < 0,
       "the reader of a FIFO that a user names is waited for ten minutes");
    to.patience = 0.05;
    struct stream *s = stream_open(h.base, &to, &calls, &h, &e);
    put(s);
    stream_finish(s);
    event_base_dispatch(h.base);
    ok(h.finished && h.times == 1 && strstr(h.broken, ": nobody read for 0.05 s") != NULL,
       "and one who never comes is given up as well");
    close_stream(&h, s);
    unlink(fifo);
}

int main(void)
{
    char folder[1000], fifo[sizeof folder + 8];
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/stream.XXXXXX", place == NULL ? "/tmp" : place);
    signal(SIGPIPE, SIG_IGN);
    test_stopped();
    test_slow();
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    test_unread(fifo);
    rmdir(folder);
    return tap_done();
}
