/* fakeps ADDRESS WORD...: a server that does what its words say, and prints what it hears.
 *
 * For one worker after the other. Words, in order:
 *   ready       prints the address (it listens from the start)
 *   accept      takes the next connection, hears its HELLO and prints it
 *   outside=N   for the next welcome: features, of a model that only its file describes, of 8 numbers
 *   welcome[=TIMEOUT]  rank 0 of 1, softmax on the worker's own classes, batch 4, seed 1
 *   full=V,S    parameters 0 of version V for minibatch S;  same=V,S: those that it has
 *   short=V,S   the same as full, one number less
 *   since=V,S,B[,INDEX:VALUE]...  what changed since version B
 *   hear        waits for the next frame that is no heartbeat and prints it
 *   beats=N     waits for N heartbeats
 *   beat bye    sends one;  error=STATUS,TEXT;  raw=TEXT
 *   pipe=FILE   waits for a byte from it
 *   bits        the gradient that came last, as numbers
 *   end         waits until the worker has closed
 *   close       closes */
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/classes.h"
#include "base/mem.h"
#include "base/num.h"
#include "net/channel.h"
#include "run/hello.h"

struct fake {
    struct address address;
    int listening;
    struct channel c;
    struct hello hello;
    uint64_t outside; /* features; 0: softmax on those of the worker */
    size_t size;  /* floats of the parameters */
    float *floats;
    size_t n; /* of the last gradient */
};

static const double patience = 20; /* seconds */

static int accept_one(struct fake *f, const char *arg, struct err *e)
{
    (void)arg;
    struct pollfd p = { .fd = f->listening, .events = POLLIN };
    struct frame h;
    char *text;
    poll(&p, 1, (int)(patience * 1e3));
    int fd = accept(f->listening, NULL, NULL);
    if (fd < 0)
        return err_sys(e, "accept");
    if (channel_take(&f->c, fd, fd, e) < 0)
        return -1;
    f->c.limit = patience;
    do
        if (channel_wait(&f->c, patience, &h, e) <= 0)
            return -1;
    while (h.type == FRAME_HEARTBEAT);
    if (h.type != FRAME_HELLO || (text = mem_new(h.length + 1, 1, e)) == NULL)
        return err_set(e, ERR_PEER, "no HELLO");
    int read = channel_read(&f->c, text, h.length, e);
    hello_free(&f->hello);
    if (read == 0)
        read = hello_parse(&f->hello, text + TOKEN_TEXT, h.length - TOKEN_TEXT, e);
    printf("hello rank=%lld%s rows=%llu features=%llu classes=%zu run=%s token=%.*s\n",
           (long long)f->hello.rank, f->hello.back ? " back" : "", (unsigned long long)f->hello.rows,
           (unsigned long long)f->hello.features, f->hello.classes.n, f->hello.run, TOKEN_TEXT,
           text);
    free(text);
    return read;
}

static int say(struct fake *f, enum frame_type type, unsigned flags, const char *text,
               struct err *e)
{
    struct frame h = { .type = type, .flags = flags };
    return channel_send(&f->c, &h, text, strlen(text), NULL, 0, e);
}

static int outside(struct fake *f, const char *arg, struct err *e)
{
    return num_whole(arg, &f->outside, e);
}

static int welcome(struct fake *f, const char *arg, struct err *e)
{
    struct welcome w = { .workers = 1, .seed = 1, .batch = 4, .model = "softmax", .bias = 1 };
    w.features = f->hello.features;
    w.classes = f->hello.classes;
    w.timeout = 30;
    if (arg != NULL && num_duration(arg, &w.timeout, e) < 0)
        return -1;
    f->size = w.classes.n * (w.features + 1);
    if (f->outside > 0) {
        f->size = 8;
        w.model = "external:w";
        w.features = f->outside;
        w.tensors = json_pack("[[s, [i]]]", "w", 8);
    }
    f->floats = realloc(f->floats, f->size * sizeof *f->floats);
    memset(f->floats, 0, f->size * sizeof *f->floats);
    char *text = welcome_text(&w, e);
    int sent = text ? say(f, FRAME_WELCOME, 0, text, e) : -1;
    free(text);
    json_decref(w.tensors);
    return sent;
}

static int grant(struct fake *f, const char *arg, unsigned flags, size_t n, struct err *e)
{
    struct frame h = { .type = FRAME_PARAMS, .flags = flags };
    h.version = (uint64_t)atoll(arg);
    h.seq = (uint64_t)atoll(strchr(arg, ',') + 1);
    memset(f->floats, 0, f->size * sizeof *f->floats);
    return channel_send(&f->c, &h, NULL, 0, f->floats, n * sizeof *f->floats, e);
}

static int full(struct fake *f, const char *arg, struct err *e)
{
    return grant(f, arg, PARAMS_FULL, f->size, e);
}

static int same(struct fake *f, const char *arg, struct err *e)
{
    return grant(f, arg, PARAMS_SAME, 0, e);
}

static int shorter(struct fake *f, const char *arg, struct err *e)
{
    return grant(f, arg, PARAMS_FULL, f->size - 1, e);
}

static int since(struct fake *f, const char *arg, struct err *e)
{
    enum { MOST = 40, BASE = 8 };
    struct frame h = { .type = FRAME_PARAMS, .flags = PARAMS_DELTA };
    unsigned char bytes[BASE + MOST * sizeof(uint32_t)];
    uint32_t index[MOST];
    float value[MOST];
    size_t n = 0;
    char *at;
    h.version = strtoull(arg, &at, 10);
    h.seq = strtoull(at + 1, &at, 10);
    put_u64(bytes, strtoull(at + 1, &at, 10));
    for (; *at == ',' && n < MOST; n++) {
        index[n] = (uint32_t)strtoul(at + 1, &at, 10);
        value[n] = (float)strtol(at + 1, &at, 10);
    }
    memcpy(bytes + BASE, index, n * sizeof *index);
    return channel_send(&f->c, &h, bytes, BASE + n * sizeof *index, value, n * sizeof *value, e);
}

static int hear_work(struct fake *f, const struct frame *h, const char *name, struct err *e)
{
    unsigned char bytes[FRAME_WORK];
    struct work w;
    f->n = (size_t)(h->length - FRAME_WORK) / sizeof *f->floats;
    if (h->length < FRAME_WORK || f->n > f->size)
        return err_set(e, ERR_PEER, "%s of %llu bytes", name, (unsigned long long)h->length);
    if (channel_read(&f->c, bytes, sizeof bytes, e) < 0 ||
        channel_read(&f->c, f->floats, f->n * sizeof *f->floats, e) < 0)
        return -1;
    work_decode(&w, bytes);
    printf("%s version=%llu seq=%lld rows=%llu loss=%.4f compute=%.6f delay=%.6f floats=%zu\n",
           name, (unsigned long long)h->version, (long long)h->seq, (unsigned long long)w.rows, w.loss,
           w.compute, w.delay, f->n);
    return 0;
}

static int hear_text(struct fake *f, const struct frame *h, struct err *e)
{
    char text[1000] = "";
    if (h->length >= sizeof text || channel_read(&f->c, text, h->length, e) < 0)
        return -1;
    printf("error status=%u %s\n", h->flags, text);
    return 0;
}

static int hear(struct fake *f, const char *arg, struct err *e)
{
    (void)arg;
    static const char *const names[] = { [FRAME_GRAD] = "grad",
                                         [FRAME_CANCELLED] = "cancelled",
                                         [FRAME_BYE] = "bye" };
    struct frame h;
    do
        if (channel_wait(&f->c, patience, &h, e) <= 0)
            return -1;
    while (h.type == FRAME_HEARTBEAT);
    if (h.type == FRAME_ERROR)
        return hear_text(f, &h, e);
    return hear_work(f, &h, h.type <= FRAME_BYE && names[h.type] ? names[h.type] : "odd", e);
}

static int beats(struct fake *f, const char *arg, struct err *e)
{
    struct frame h;
    for (int n = atoi(arg); n > 0; n -= h.type == FRAME_HEARTBEAT)
        if (channel_wait(&f->c, patience, &h, e) <= 0)
            return -1;
    printf("beats\n");
    return 0;
}

static int beat(struct fake *f, const char *arg, struct err *e)
{
    (void)arg;
    return say(f, FRAME_HEARTBEAT, 0, "", e);
}

static int bye(struct fake *f, const char *arg, struct err *e)
{
    (void)arg;
    return say(f, FRAME_BYE, 0, "", e);
}

static int error(struct fake *f, const char *arg, struct err *e)
{
    return say(f, FRAME_ERROR, (unsigned)atoi(arg), strchr(arg, ',') + 1, e);
}

static int raw(struct fake *f, const char *arg, struct err *e)
{
    return write(f->c.link.out, arg, strlen(arg)) > 0 ? 0 : err_sys(e, "raw");
}

static int pipe_in(struct fake *f, const char *arg, struct err *e)
{
    (void)f;
    char byte;
    int fd = open(arg, O_RDWR | O_CLOEXEC); /* does not wait for who writes */
    if (fd < 0)
        return err_sys(e, "%s", arg);
    ssize_t n = link_ready(fd, false, patience) ? read(fd, &byte, 1) : 0;
    close(fd);
    return n == 1 ? 0 : -1;
}

static int bits(struct fake *f, const char *arg, struct err *e)
{
    (void)arg, (void)e;
    for (size_t i = 0; i < f->n; i++)
        printf("%.9g\n", (double)f->floats[i]);
    return 0;
}

static int end(struct fake *f, const char *arg, struct err *e)
{
    (void)arg, (void)e;
    struct frame h;
    struct err why = { 0 };
    while (channel_wait(&f->c, patience, &h, &why) > 0)
        if (channel_skip(&f->c, h.length, &why) < 0)
            break;
    printf("end: %s\n", why.text);
    return 0;
}

static int close_it(struct fake *f, const char *arg, struct err *e)
{
    (void)arg, (void)e;
    channel_close(&f->c);
    return 0;
}

static int ready(struct fake *f, const char *arg, struct err *e)
{
    (void)arg, (void)e;
    char text[300];
    printf("%s\n", address_full(&f->address, text, sizeof text));
    return 0;
}

static const struct {
    const char *name;
    int (*run)(struct fake *f, const char *arg, struct err *e);
} words[] = {
    { "accept", accept_one }, { "beat", beat },       { "beats", beats }, { "bits", bits },
    { "bye", bye },           { "close", close_it },  { "end", end },     { "error", error },
    { "full", full },         { "hear", hear },       { "outside", outside }, { "pipe", pipe_in },
    { "raw", raw },           { "ready", ready },     { "same", same },   { "short", shorter },
    { "since", since },       { "welcome", welcome },
};

static int run(struct fake *f, const char *word, struct err *e)
{
    size_t n = strcspn(word, "=");
    const char *arg = word[n] == '=' ? word + n + 1 : NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].name) == n && strncmp(words[i].name, word, n) == 0) {
            if (words[i].run(f, arg, e) == 0)
                return fflush(stdout);
            if (e->kind == ERR_OK)
                err_set(e, ERR_PEER, "nothing came");
            return err_ctx(e, "%s", word);
        }
    return err_set(e, ERR_USAGE, "%s: no such word", word);
}

int main(int argc, char **argv)
{
    struct fake f = { .listening = -1 };
    struct err e = { 0 };
    signal(SIGPIPE, SIG_IGN);
    if (argc > 1 && address_parse(&f.address, argv[1], &e) == 0)
        f.listening = address_listen(&f.address, 0, &e);
    for (int i = 2; i < argc && e.kind == ERR_OK; i++)
        run(&f, argv[i], &e);
    channel_close(&f.c);
    if (f.listening >= 0)
        address_close(&f.address, f.listening);
    hello_free(&f.hello);
    free(f.floats);
    return err_exit(&e, "fakeps");
}
