/* TLS on a link, both ends in one process: what is taken, what comes out, and how it may end. */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/tap.h"
#include "net/conn.h"
#include "net/guard.h"
#include "net/secret.h"

enum { ROOM = 6 << 20, RECORD = 16384 };

struct ends {
    struct guard *guards[2]; /* the server's, the worker's */
    struct link server, worker;
};

static ssize_t put(struct link *l, const void *data, size_t n)
{
    struct iovec v = { (void *)(uintptr_t)data, n };
    return l->ops->write(l, &v, 1);
}

static ssize_t get(struct link *l, void *data, size_t n)
{
    struct iovec v = { data, n };
    return l->ops->read(l, &v, 1);
}

/* Both ends of a connection, through TLS with the key at path; not yet open. */
static int join(struct ends *t, const char *path)
{
    struct err e = { 0 };
    struct secrets s = { .key_file = path };
    int fd[2];
    *t = (struct ends){ .guards = { guard_open(&s, true, &e), guard_open(&s, false, &e) } };
    if (t->guards[0] == NULL || t->guards[1] == NULL ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, fd) < 0)
        return -1;
    return link_plain(&t->server, fd[0], fd[0]) < 0 || link_plain(&t->worker, fd[1], fd[1]) < 0 ||
                   guard_link(t->guards[0], &t->server, NULL, &e) < 0 ||
                   guard_link(t->guards[1], &t->worker, "host", &e) < 0
               ? -1
               : 0;
}

static bool shake(struct ends *t)
{
    char none;
    for (int i = 0; i < 4; i++) {
        put(&t->worker, NULL, 0);
        get(&t->server, &none, 0);
    }
    return t->server.ops->open(&t->server) && t->worker.ops->open(&t->worker);
}

static void part(struct ends *t)
{
    t->server.ops->close(&t->server);
    t->worker.ops->close(&t->worker);
    guard_close(t->guards[0]);
    guard_close(t->guards[1]);
}

/* Everything that `from` gives, to `to`, in pieces of these many bytes; whether it came out the same. */
static bool carry(struct link *from, struct link *to, const unsigned char *data, size_t n,
                  size_t piece)
{
    unsigned char *out = calloc(1, n + 1);
    size_t sent = 0, come = 0;
    for (int idle = 0; come < n && idle < 100; idle++) {
        size_t k = n - sent < piece ? n - sent : piece;
        ssize_t s = put(from, data + sent, k), r = get(to, out + come, n - come);
        sent += s > 0 ? (size_t)s : 0;
        come += r > 0 ? (size_t)r : 0;
        idle = s > 0 || r > 0 ? 0 : idle;
    }
    bool same = come == n && memcmp(out, data, n) == 0;
    free(out);
    return same;
}

static void test_carrying(const char *key, const unsigned char *data)
{
    static const size_t sizes[] = { 1, 39, RECORD - 1, RECORD, RECORD + 1, 100000, ROOM };
    struct ends t;
    char early[4];
    bool joined = join(&t, key) == 0, nothing;
    nothing = joined && put(&t.server, "word", 4) < 0 && errno == EAGAIN &&
              get(&t.server, early, 4) < 0 && errno == EAGAIN && !t.server.ops->open(&t.server);
    ok(nothing, "before the other side is known nothing is taken and nothing comes out");
    ok(joined && shake(&t), "who has the same key is known");
    bool up = true, down = true;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        up = up && carry(&t.worker, &t.server, data, sizes[i], ROOM);
        down = down && carry(&t.server, &t.worker, data, sizes[i], ROOM);
    }
    ok(up && down, "bytes of any number come out as they went in, both ways");
    ok(carry(&t.worker, &t.server, data, 50000, 37), "in small pieces too");

    unsigned char *out = malloc(ROOM);
    struct iovec three[3] = { { (void *)(uintptr_t)data, 40 },
                              { (void *)(uintptr_t)(data + 40), 0 },
                              { (void *)(uintptr_t)(data + 40), 2 * RECORD } };
    ssize_t all = t.worker.ops->write(&t.worker, three, 3);
    ok(all == 40 + 2 * RECORD && get(&t.server, out, ROOM) == all &&
           memcmp(out, data, (size_t)all) == 0 && !t.server.more,
       "a frame's pieces go together, and a read tells that nothing is left");
    put(&t.worker, data, 100);
    ok(get(&t.server, out, 60) == 60 && t.server.more && get(&t.server, out, 60) == 40 &&
           !t.server.more,
       "a read that took a part of a record tells that there is more");

    ssize_t taken = put(&t.worker, data, ROOM);
    size_t waits = t.worker.ops->unsent(&t.worker);
    bool full = taken > 0 && taken < ROOM && waits > 0 && waits < RECORD + 64 &&
                put(&t.worker, data, 9) < 0 && errno == EAGAIN;
    size_t come = 0;
    for (int i = 0; i < 1000; i++) {
        ssize_t r = get(&t.server, out + come, ROOM - come);
        come += r > 0 ? (size_t)r : 0;
        put(&t.worker, NULL, 0);
    }
    ok(full && come == (size_t)taken && memcmp(out, data, come) == 0 &&
           t.worker.ops->unsent(&t.worker) == 0,
       "what a full socket did not take of a record waits, and what was taken is not taken again");
    free(out);
    part(&t);
}

static void test_endings(const char *key)
{
    struct ends t;
    char got[100];
    join(&t, key);
    shake(&t);
    put(&t.worker, "last words", 10);
    t.worker.ops->finish(&t.worker);
    ok(get(&t.server, got, 100) == 10 && get(&t.server, got, 100) == 0,
       "an end that the other side announced is one, after its last words");
    ok(put(&t.server, "answer", 6) == 6 && get(&t.worker, got, 100) == 6,
       "and it still hears the answer");
    part(&t);

    struct err e = { 0 };
    join(&t, key);
    shake(&t);
    put(&t.worker, "last words", 10);
    shutdown(t.worker.out, SHUT_WR);
    bool before = get(&t.server, got, 100) == 10;
    ok(before && get(&t.server, got, 100) < 0 && errno == ECONNABORTED &&
           link_failed(&t.server, &e) < 0 && e.kind == ERR_PEER &&
           same_text(e.text, "connection lost: it was cut off"),
       "an end that it did not announce is a loss");
    part(&t);

    unsigned char record[200];
    join(&t, key);
    shake(&t);
    put(&t.worker, "words", 5);
    ssize_t n = recv(t.server.in, record, sizeof record, 0);
    record[10] ^= 1;
    e = (struct err){ 0 };
    ok(n > 22 && send(t.worker.out, record, (size_t)n, 0) == n && get(&t.server, got, 100) < 0 &&
           errno == EPROTO && link_failed(&t.server, &e) < 0 &&
           same_text(e.text, "the worker broke TLS: decryption failed or bad record mac") &&
           put(&t.server, "no", 2) < 0 && get(&t.server, got, 100) < 0 && errno == EPROTO,
       "a record with a bit turned ends the connection, for good");
    part(&t);
}

/* The server's end under an event loop: parameters that a full socket keeps back. */
static void *place(void *self, struct conn *c, const struct frame *f, struct err *e)
{
    (void)c, (void)f, (void)e;
    return self;
}

static int frame(void *self, struct conn *c, const struct frame *f, void *payload, struct err *e)
{
    (void)self, (void)c, (void)f, (void)payload, (void)e;
    return 0;
}

static void closed(void *self, struct conn *c, struct err *e)
{
    (void)self, (void)c, (void)e;
}

static void test_replacing(const char *key)
{
    static const struct conn_calls calls = { place, frame, closed, NULL, NULL };
    enum { N = 1000000, BYTES = N * 4 };
    struct ends t;
    struct err e = { 0 };
    char nothing[8];
    struct event_base *base = event_base_new();
    float *w = calloc(N, sizeof *w);
    unsigned char *got = malloc(3 * BYTES);
    size_t n = 0;
    join(&t, key);
    struct conn *c = conn_new(base, &t.server, &calls, nothing, &e);
    struct frame f = { .type = FRAME_PARAMS, .flags = PARAMS_FULL };
    for (uint64_t seq = 0; seq < 3; seq++) {
        f.seq = seq;
        conn_params(c, &f, w, BYTES, NULL, &e);
    }
    bool kept = conn_queued(c) == FRAME_HEADER + BYTES;
    event_base_loop(base, EVLOOP_NONBLOCK);
    ok(kept && recv(t.worker.in, got, 1, MSG_PEEK | MSG_DONTWAIT) < 0,
       "before the other side is known not a byte of the newest parameters goes out");
    for (int i = 0; i < 6; i++) {
        put(&t.worker, NULL, 0);
        event_base_loop(base, EVLOOP_NONBLOCK);
    }
    f.seq = 3;
    int replaced = conn_params(c, &f, w, BYTES, NULL, &e);
    f.seq = 4;
    replaced += 2 * conn_params(c, &f, w, BYTES, NULL, &e);
    for (int i = 0; i < 5000 && conn_queued(c) > 0; i++) {
        ssize_t r = get(&t.worker, got + n, 3 * BYTES - n);
        n += r > 0 ? (size_t)r : 0;
        event_base_loop(base, EVLOOP_NONBLOCK);
    }
    ssize_t r;
    while ((r = get(&t.worker, got + n, 3 * BYTES - n)) > 0)
        n += (size_t)r;
    struct frame a = { 0 }, b = { 0 };
    bool both = n == 2 * (FRAME_HEADER + BYTES) && frame_decode(&a, got, &e) == 0 &&
                frame_decode(&b, got + FRAME_HEADER + BYTES, &e) == 0;
    ok(both && replaced == 2 && a.seq == 2 && b.seq == 4,
       "then it does; parameters of which a record has gone are finished, the others replaced");
    conn_free(c);
    t.worker.ops->close(&t.worker);
    guard_close(t.guards[0]);
    guard_close(t.guards[1]);
    event_base_free(base);
    free(w);
    free(got);
}

int main(void)
{
    char folder[] = "/tmp/dsgd-guard.XXXXXX", key[64];
    struct err e = { 0 };
    unsigned char *data = malloc(ROOM);
    for (size_t i = 0; i < ROOM; i++)
        data[i] = (unsigned char)(i * 7 + i / 251 + i / 65537);
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(key, sizeof key, "%s/key", folder);
    if (secret_make(key, &e) == 0) {
        test_carrying(key, data);
        test_endings(key);
        test_replacing(key);
    }
    unlink(key);
    rmdir(folder);
    free(data);
    return tap_done();
}
