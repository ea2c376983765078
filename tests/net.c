/* Frames, and the server's side of a connection, over socket pairs. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/tap.h"
#include "net/conn.h"
#include "net/frame.h"

enum { ROOM = 1 << 23, LOG = 64 };

/* What a connection told its owner. */
struct owner {
    struct event_base *base;
    struct frame seen[LOG];
    size_t n, closed;
    struct err why;
    unsigned char *payload; /* of the last frame */
    uint64_t most;          /* longest payload that is let in */
    bool refuse_frame, free_in_frame, free_in_closed;
    size_t likely;       /* payload of the frames that are expected; 0: none is */
    unsigned char *other; /* where payloads of other lengths go then */
    bool wrong;          /* a payload was not what was sent */
};

static void *place(void *self, struct conn *c, const struct frame *f, struct err *e)
{
    (void)c;
    struct owner *o = self;
    if (o->likely > 0 && f->length != o->likely)
        return o->other;
    if (f->length <= o->most)
        return o->payload;
    err_set(e, ERR_PEER, "gradient of %llu bytes, this model has %llu",
            (unsigned long long)f->length, (unsigned long long)o->most);
    return NULL;
}

/* Byte i of a payload that `make` made. */
static unsigned char byte_of(unsigned first, size_t i)
{
    return (unsigned char)(first + i * 7 + i / 251);
}

static void *expect(void *self, struct conn *c, size_t *room)
{
    (void)c;
    struct owner *o = self;
    *room = o->likely;
    return o->likely > 0 ? o->payload : NULL;
}

static int frame(void *self, struct conn *c, const struct frame *f, void *payload, struct err *e)
{
    struct owner *o = self;
    for (size_t i = 0; o->likely > 0 && i < f->length; i++)
        o->wrong = o->wrong || ((unsigned char *)payload)[i] != byte_of((unsigned)f->seq, i);
    if (o->likely > 0)
        payload = o->payload;
    o->seen[o->n++ % LOG] = *f;
    if (payload != o->payload)
        o->n = 1000; /* never */
    if (o->free_in_frame)
        conn_free(c);
    return o->refuse_frame ? err_set(e, ERR_PEER, "out of turn") : 0;
}

static void closed(void *self, struct conn *c, struct err *e)
{
    struct owner *o = self;
    o->closed++;
    o->why = *e;
    if (o->free_in_closed)
        conn_free(c);
}

static const struct conn_calls calls = { place, frame, closed, expect, NULL };

/* A connection whose other end is a plain non-blocking descriptor. */
struct pair {
    struct owner o;
    struct conn *c;
    int peer;
};

static void open_pair(struct pair *p)
{
    int fd[2];
    struct link link;
    struct err e = { 0 };
    *p = (struct pair){ 0 };
    socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
    fcntl(fd[1], F_SETFL, O_NONBLOCK);
    p->o.base = event_base_new();
    p->o.payload = malloc(ROOM);
    p->o.most = ROOM;
    p->peer = fd[1];
    link_plain(&link, fd[0], fd[0]);
    p->c = conn_new(p->o.base, &link, &calls, &p->o, &e);
}

static void close_pair(struct pair *p)
{
    if (!p->o.free_in_closed && !p->o.free_in_frame)
        conn_free(p->c);
    if (p->peer >= 0)
        close(p->peer);
    event_base_free(p->o.base);
    free(p->o.payload);
}

static void turn(struct pair *p)
{
    event_base_loop(p->o.base, EVLOOP_NONBLOCK);
}

/* Bytes of a frame with a payload that counts up from `first`; free() it. */
static unsigned char *make(enum frame_type type, uint64_t seq, size_t n, unsigned first,
                           size_t *all)
{
    struct frame f = { .type = type, .flags = 3, .version = 7, .seq = seq, .length = n };
    unsigned char *bytes = malloc(FRAME_HEADER + n);
    frame_encode(bytes, &f);
    for (size_t i = 0; i < n; i++)
        bytes[FRAME_HEADER + i] = byte_of(first, i);
    *all = FRAME_HEADER + n;
    return bytes;
}

static void put(struct pair *p, enum frame_type type, uint64_t seq, size_t n)
{
    size_t all, at = 0;
    unsigned char *bytes = make(type, seq, n, 0, &all);
    while (at < all) {
        ssize_t sent = write(p->peer, bytes + at, all - at);
        at += sent > 0 ? (size_t)sent : 0;
        turn(p);
    }
    free(bytes);
}

/* Everything that comes from the connection until it has nothing more to say. */
static size_t drain(struct pair *p, unsigned char *into)
{
    size_t n = 0;
    for (int idle = 0; idle < 3;) {
        ssize_t got = read(p->peer, into + n, ROOM - n);
        idle = got > 0 ? 0 : idle + 1;
        n += got > 0 ? (size_t)got : 0;
        turn(p);
    }
    return n;
}

static void test_frames(void)
{
    struct frame f = { FRAME_GRAD, 1, 1ull << 40, FRAME_NO_SEQ, 31440 }, g;
    unsigned char h[FRAME_HEADER];
    struct err e = { 0 };
    frame_encode(h, &f);
    ok(frame_decode(&g, h, &e) == 0 && g.type == f.type && g.flags == 1 && g.version == f.version &&
           g.seq == f.seq && g.length == f.length, "a header reads back as it was written");
    int accepted = 0;
    for (size_t i = 0; i < FRAME_HEADER * 8; i++) {
        h[i / 8] ^= (unsigned char)(1 << i % 8);
        accepted += frame_decode(&g, h, &e) == 0;
        h[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    ok(accepted == 0, "a header with any bit turned is refused");
    static const char http[] = "GET / HTTP/1.1\r\nHost: somewhere\r\nAccept: */*\r\n";
    ok(frame_decode(&g, (const unsigned char *)http, &e) < 0 &&
           same_text(e.text, "not a dsgd peer") && e.kind == ERR_PEER, "HTTP is told from a frame");
    h[4] = 2;
    frame_decode(&g, h, &e);
    ok(same_text(e.text, "protocol 2, this is 1"), "another protocol is told by its number");

    struct work w = { NAN, 0.125, 1e-9, 32 }, v;
    unsigned char p[FRAME_WORK];
    work_encode(p, &w);
    work_decode(&v, p);
    ok(isnan(v.loss) && v.compute == w.compute && v.delay == w.delay && v.rows == 32,
       "measurements read back to the same bits");
}

static void test_reading(void)
{
    struct pair p;
    size_t all, early = 0;
    open_pair(&p);
    unsigned char *bytes = make(FRAME_GRAD, 5, 100, 9, &all);
    for (size_t i = 0; i < all; i++) {
        early += p.o.n;
        if (write(p.peer, bytes + i, 1) == 1)
            turn(&p);
    }
    ok(early == 0, "no frame is handed over before its last byte");
    ok(p.o.n == 1 && p.o.seen[0].seq == 5 && memcmp(p.o.payload, bytes + FRAME_HEADER, 100) == 0,
       "a frame that comes byte by byte arrives whole, in its place");
    free(bytes);

    unsigned char many[60 * FRAME_HEADER];
    for (size_t i = 0; i < 60; i++) {
        struct frame f = { .type = FRAME_HEARTBEAT, .seq = 100 + i };
        frame_encode(many + i * FRAME_HEADER, &f);
    }
    p.o.n = 0;
    if (write(p.peer, many, sizeof many) == sizeof many)
        for (int i = 0; i < 8; i++)
            turn(&p);
    bool order = p.o.n == 60;
    for (size_t i = 0; i < 60; i++)
        order = order && p.o.seen[i].seq == 100 + i;
    ok(order, "frames that come in one piece are all handed over, in order");

    p.o.n = 0;
    put(&p, FRAME_GRAD, 1, 3000000);
    put(&p, FRAME_GRAD, 2, 0);
    turn(&p);
    ok(p.o.n == 2 && p.o.seen[0].length == 3000000 && p.o.seen[1].length == 0,
       "a frame larger than the socket's buffer arrives, and the next one behind it");
    close_pair(&p);
}

/* Frames of which one length is expected, one close behind the other, in pieces of so many bytes. */
static bool expected(const unsigned char *bytes, size_t n, size_t frames, size_t piece, size_t likely)
{
    struct pair p;
    open_pair(&p);
    p.o.likely = likely;
    p.o.other = malloc(ROOM);
    for (size_t at = 0; at < n; at += piece) {
        size_t k = n - at < piece ? n - at : piece;
        if (write(p.peer, bytes + at, k) != (ssize_t)k)
            p.o.wrong = true;
        turn(&p);
    }
    for (int i = 0; i < 8; i++)
        turn(&p);
    bool good = p.o.n == frames && !p.o.wrong && p.o.closed == 0;
    for (size_t i = 0; i < frames; i++)
        good = good && p.o.seen[i].seq == i;
    free(p.o.other);
    close_pair(&p);
    return good;
}

static void test_expecting(void)
{
    static const size_t lengths[] = { 100, 32, 100, 0, 0, 0, 0, 100, 100, 7, 300, 100, 0, 100, 1, 100 };
    enum { N = sizeof lengths / sizeof *lengths };
    unsigned char bytes[N * (FRAME_HEADER + 300)];
    size_t n = 0, all, bad = 0;
    for (size_t i = 0; i < N; i++) {
        unsigned char *one = make(FRAME_GRAD, i, lengths[i], (unsigned)i, &all);
        memcpy(bytes + n, one, all);
        n += all;
        free(one);
    }
    for (size_t piece = 1; piece <= 400; piece++)
        bad += !expected(bytes, n, N, piece, 100);
    ok(bad == 0 && expected(bytes, n, N, n, 100) && expected(bytes, n, N, n, 1000),
       "an expected frame is read at once, and another in its stead, and those behind, as they come");
}

/* What the peer reads after it sent bytes that are refused. */
static bool refused(struct pair *p, const char *why)
{
    unsigned char *got = calloc(1, ROOM);
    struct frame f = { 0 };
    struct err e = { 0 };
    size_t n = drain(p, got);
    bool told = n >= FRAME_HEADER && frame_decode(&f, got, &e) == 0 && f.type == FRAME_ERROR &&
                f.flags == ERR_PEER && n == FRAME_HEADER + f.length &&
                same_text((char *)got + FRAME_HEADER, why);
    free(got);
    return told && p->o.closed == 1 && same_text(p->o.why.text, why);
}

static void test_refusing(void)
{
    struct pair p;
    static const char http[] = "GET / HTTP/1.1\r\nHost: somewhere\r\nAccept: */*\r\n\r\n";
    open_pair(&p);
    if (write(p.peer, http, sizeof http - 1) > 0)
        ok(refused(&p, "not a dsgd peer"), "what is no frame is told so and closed");
    close_pair(&p);

    open_pair(&p);
    p.o.most = 31440;
    put(&p, FRAME_GRAD, 1, 40000);
    ok(refused(&p, "gradient of 40000 bytes, this model has 31440") && p.o.n == 0,
       "a payload of the wrong size is refused, naming both, before a byte of it is taken");
    close_pair(&p);

    open_pair(&p);
    p.o.refuse_frame = true;
    put(&p, FRAME_GRAD, 1, 10);
    put(&p, FRAME_GRAD, 2, 10);
    ok(refused(&p, "out of turn") && p.o.n == 1, "after a refused frame nothing more is taken");
    close_pair(&p);

    open_pair(&p);
    p.o.free_in_frame = true;
    put(&p, FRAME_GRAD, 1, 10);
    ok(p.o.n == 1 && p.o.closed == 0, "a connection may be freed by its own frame");
    close_pair(&p);
}

/* The seq and the first byte of each frame in n bytes, as text. */
static const char *frames_of(const unsigned char *bytes, size_t n, char *text)
{
    struct frame f;
    struct err e = { 0 };
    size_t used = 0;
    text[0] = '\0';
    for (size_t at = 0; at + FRAME_HEADER <= n; at += FRAME_HEADER + f.length) {
        if (frame_decode(&f, bytes + at, &e) < 0)
            return strcpy(text, e.text);
        used += (size_t)sprintf(text + used, "%s%d/%llu/%zu", used ? " " : "", (int)f.type,
                                (unsigned long long)f.seq, (size_t)f.length);
    }
    return text;
}

static int params(struct pair *p, uint64_t seq, const float *w, size_t n)
{
    struct frame f = { .type = FRAME_PARAMS, .flags = PARAMS_FULL, .version = seq, .seq = seq };
    struct err e = { 0 };
    return conn_params(p->c, &f, w, n * sizeof *w, NULL, &e);
}

static int beat(struct pair *p, uint64_t seq)
{
    struct frame f = { .type = FRAME_HEARTBEAT, .seq = seq };
    struct err e = { 0 };
    return conn_send(p->c, &f, NULL, &e);
}

static void test_writing(void)
{
    struct pair p;
    char text[400];
    enum { N = 700000, BYTES = N * 4 };
    float *w = malloc(BYTES), *v = malloc(BYTES);
    unsigned char *got = malloc(ROOM);
    for (int i = 0; i < N; i++) {
        w[i] = (float)i;
        v[i] = (float)-i;
    }
    open_pair(&p);
    ok(params(&p, 0, w, 10) == 0 && conn_queued(p.c) == 0, "what the socket takes is not kept");
    ok(params(&p, 1, w, N) == 0 && conn_queued(p.c) > 0, "what it does not take is kept");
    memset(w, 0, BYTES);
    ok(params(&p, 2, v, N) == 0, "parameters of which a byte has gone out are not replaced");
    beat(&p, 77);
    size_t queued = conn_queued(p.c);
    ok(params(&p, 3, v, N) == 1, "parameters of which no byte has gone out are replaced");
    ok(conn_queued(p.c) == queued, "replaced parameters cost no memory");
    size_t n = drain(&p, got);
    ok(same_text(frames_of(got, n, text), "3/0/40 3/1/2800000 6/77/0 3/3/2800000"),
       "frames go out in order, the newest parameters behind what was queued before them");
    const unsigned char *first = got + 2 * FRAME_HEADER + 40;
    bool whole = n > BYTES;
    for (int i = 0; whole && i < N; i++) {
        float x = (float)i;
        whole = memcmp(first + i * sizeof x, &x, sizeof x) == 0;
    }
    ok(whole && memcmp(got + n - BYTES, v, BYTES) == 0,
       "the bytes are those of the moment of sending, whatever became of the parameters since");
    ok(conn_queued(p.c) == 0, "nothing is left when the peer has read everything");
    close_pair(&p);
    free(got);
    free(v);
    free(w);
}

static void test_endings(void)
{
    struct pair p;
    unsigned char *got = malloc(ROOM);
    open_pair(&p);
    p.o.free_in_closed = true;
    put(&p, FRAME_BYE, 4, 0);
    shutdown(p.peer, SHUT_WR);
    turn(&p);
    turn(&p);
    ok(p.o.n == 1 && p.o.closed == 1 && same_text(p.o.why.text, "connection closed") &&
           p.o.why.kind == ERR_PEER, "a peer that closes is told once, after its last frame");
    close_pair(&p);

    open_pair(&p);
    beat(&p, 1);
    conn_finish(p.c);
    turn(&p);
    ok(drain(&p, got) == FRAME_HEADER && read(p.peer, got, 1) == 0 && p.o.closed == 0,
       "after conn_finish the peer reads what was queued, then the end");
    put(&p, FRAME_BYE, 9, 0);
    close(p.peer);
    p.peer = -1;
    turn(&p);
    turn(&p);
    ok(p.o.n == 1 && p.o.closed == 1 && p.o.why.kind == ERR_OK,
       "its last frame is still taken, and its leaving is in order");
    close_pair(&p);

    open_pair(&p);
    float *w = calloc(1000000, sizeof *w);
    params(&p, 1, w, 1000000);
    conn_finish(p.c);
    close(p.peer);
    p.peer = -1;
    for (int i = 0; i < 4; i++)
        turn(&p);
    ok(p.o.closed == 1 && p.o.why.kind == ERR_PEER,
       "a peer that closes before it took everything is lost, also after conn_finish");
    close_pair(&p);

    open_pair(&p);
    size_t all;
    unsigned char *bytes = make(FRAME_GRAD, 3, 50, 0, &all);
    if (write(p.peer, bytes, all) == (ssize_t)all)
        close(p.peer);
    p.peer = -1;
    int failed = beat(&p, 1);
    bool before = p.o.closed == 0;
    turn(&p);
    turn(&p);
    ok(failed == 0 && before && p.o.n == 1 && p.o.closed == 1,
       "a write that fails is told in the next turn, after what the peer had sent before");
    close_pair(&p);
    free(bytes);
    free(w);
    free(got);
}

int main(void)
{
    test_frames();
    test_reading();
    test_expecting();
    test_refusing();
    test_writing();
    test_endings();
    return tap_done();
}
