/* A worker that does what it is told, a command a line, and answers each with one line:
 *   hello RANK FEATURES ROWS [LABEL]...   ("-": any rank); token, run, data and shards before it
 *   token HEX | run NAME | data JSON | shards JSON | back NAME: it says that it is NAME, and was in the run before
 *   sparse               it says that it knows entries
 *   next                 the next frame: welcome RANK P, params VERSION SEQ full|same, bye,
    { "text", 2, do_text },           { "back", 2, do_back },   { "sparse", 1, do_sparse },
    { "beat", 1, do_beat },           { "entries", 3, do_entries },
 *   grad VERSION SEQ VALUE [FLOATS]       a gradient of 4 rows, all its numbers VALUE
 *   half VERSION SEQ     the first half of one
 *   entries VERSION SEQ [INDEX:VALUE]...  a gradient of 4 rows, of these entries
 *   cancelled SEQ | bye SEQ ("-": nothing in hand) | heartbeat | header TYPE LENGTH [FLAGS] | protocol N
 *   text TEXT            bytes that are no frame
 *   quit                 without a word
 * Nothing is sent unasked, not even a heartbeat. */
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/num.h"
#include "net/channel.h"
#include "run/hello.h"
#include "run/packed.h"

enum { WORDS = 16, TEXT = 1000 };

struct wire {
    struct channel channel;
    char token[TOKEN_TEXT + 1], run[100], back[100];
    json_t *data, *shards;
    bool sparse;
    size_t floats; /* of the last full PARAMS */
    char *word[WORDS];
    size_t n;
    char answer[TEXT + 100];
};

static uint64_t whole(const struct wire *w, size_t i)
{
    uint64_t v = FRAME_NO_SEQ;
    struct err e = { 0 };
    if (i < w->n && strcmp(w->word[i], "-") != 0)
        num_whole(w->word[i], &v, &e);
    return v;
}

static int do_token(struct wire *w, struct err *e)
{
    (void)e;
    snprintf(w->token, sizeof w->token, "%s", w->word[1]);
    return 0;
}

static int do_back(struct wire *w, struct err *e)
{
    (void)e;
    snprintf(w->back, sizeof w->back, "%s", w->word[1]);
    return 0;
}

static int do_run(struct wire *w, struct err *e)
{
    (void)e;
    snprintf(w->run, sizeof w->run, "%s", w->word[1]);
    return 0;
}

static int do_sparse(struct wire *w, struct err *e)
{
    (void)e;
    w->sparse = true;
    return 0;
}

static int do_data(struct wire *w, struct err *e)
{
    w->data = json_loads(w->word[1], 0, NULL);
    return w->data == NULL ? err_set(e, ERR_USAGE, "no JSON") : 0;
}

static int do_shards(struct wire *w, struct err *e)
{
    w->shards = json_loads(w->word[1], 0, NULL);
    return w->shards == NULL ? err_set(e, ERR_USAGE, "no JSON") : 0;
}

static int add_labels(const struct wire *w, struct classes *c, struct err *e)
{
    char where[40];
    for (size_t i = 4; i < w->n; i++) {
        double v = NAN;
        struct err named = { 0 };
        snprintf(where, sizeof where, "wire.svm:%zu", i - 3);
        if (num_real(w->word[i] + (w->word[i][0] == '+'), &v, &named) < 0)
            c->named = true;
        if (classes_add(c, w->word[i], v, where, i - 4, e) < 0)
            return -1;
    }
    return 0;
}

static int do_hello(struct wire *w, struct err *e)
{
    char name[100], program[] = "0", none[] = "";
    if (w->back[0] != '\0')
        snprintf(name, sizeof name, "%s", w->back);
    else
        snprintf(name, sizeof name, "wire:%ld", (long)getpid());
    struct hello h = {
        .program = program, .name = name, .run = w->run, .kernel = none, .blas = none
    };
    h.rank = strcmp(w->word[1], "-") == 0 ? RANK_ANY : (int64_t)whole(w, 1);
    h.back = w->back[0] != '\0';
    h.features = whole(w, 2);
    h.rows = whole(w, 3);
    h.sparse = w->sparse;
    h.data = w->data;
    h.shards = w->shards;
    struct frame f = { .type = FRAME_HELLO };
    char *text = add_labels(w, &h.classes, e) < 0 ? NULL : hello_text(&h, e);
    int rc = text == NULL
                 ? -1
                 : channel_send(&w->channel, &f, w->token, TOKEN_TEXT, text, strlen(text), e);
    classes_free(&h.classes);
    free(text);
    return rc;
}

static int show_text(struct wire *w, const struct frame *f, struct err *e)
{
    char text[TEXT] = "";
    size_t n = f->length < sizeof text ? (size_t)f->length : sizeof text - 1;
    if (channel_read(&w->channel, text, n, e) < 0 ||
        channel_skip(&w->channel, f->length - n, e) < 0)
        return -1;
    struct welcome hi = { 0 };
    if (f->type == FRAME_ERROR)
        snprintf(w->answer, sizeof w->answer, "error %u %s", f->flags, text);
    else if (welcome_parse(&hi, text, n, e) == 0)
        snprintf(w->answer, sizeof w->answer, "welcome %" PRIu64 " %" PRIu64, hi.rank, hi.workers);
    welcome_free(&hi);
    return 0;
}

static int show_changes(struct wire *w, const struct frame *f, struct err *e)
{
    unsigned char bytes[TEXT];
    struct entries g;
    const size_t base = 8, n = (size_t)f->length;
    if (n < base || n > sizeof bytes || channel_read(&w->channel, bytes, n, e) < 0 ||
        packed_read(&g, bytes + base, n - base, w->floats, e) < 0)
        return err_ctx(e, "changes of %zu bytes", n);
    size_t at = (size_t)snprintf(w->answer, sizeof w->answer, "params %" PRIu64 " %" PRIu64 " since %" PRIu64,
                                 f->version, f->seq, get_u64(bytes));
    for (size_t k = 0; k < g.n && at < TEXT; k++)
        at += (size_t)snprintf(w->answer + at, sizeof w->answer - at, " %lu:%g", (unsigned long)g.index[k],
                               (double)g.value[k]);
    return 0;
}

static int show_params(struct wire *w, const struct frame *f, struct err *e)
{
    if (f->flags & PARAMS_DELTA)
        return show_changes(w, f, e);
    bool full = f->flags & PARAMS_FULL;
    if (full)
        w->floats = (size_t)f->length / sizeof(float);
    snprintf(w->answer, sizeof w->answer, "params %" PRIu64 " %" PRIu64 " %s", f->version, f->seq,
             full ? "full" : "same");
    return channel_skip(&w->channel, f->length, e);
}

static int do_beat(struct wire *w, struct err *e)
{
    struct frame f;
    int come = channel_wait(&w->channel, 60, &f, e);
    if (come > 0 && f.type != FRAME_HEARTBEAT)
        return err_set(e, ERR_PEER, "a frame of type %d", (int)f.type);
    return come == 0 ? err_set(e, ERR_PEER, "nothing came within 60 s") : come > 0 ? 0 : -1;
}

static int do_next(struct wire *w, struct err *e)
{
    struct frame f;
    int come;
    do
        come = channel_wait(&w->channel, 10, &f, e);
    while (come > 0 && f.type == FRAME_HEARTBEAT);
    if (come == 0)
        return err_set(e, ERR_PEER, "nothing came within 10 s");
    if (come < 0)
        snprintf(w->answer, sizeof w->answer, "closed");
    else if (f.type == FRAME_BYE)
        snprintf(w->answer, sizeof w->answer, "bye");
    else
        return f.type == FRAME_PARAMS ? show_params(w, &f, e) : show_text(w, &f, e);
    return 0;
}

static int send_gradient(struct wire *w, bool all, struct err *e)
{
    size_t n = w->n > 4 ? (size_t)whole(w, 4) : w->floats;
    double value = 0;
    struct frame f = { .type = FRAME_GRAD, .version = whole(w, 1), .seq = whole(w, 2) };
    struct work work = { .loss = 0.5, .compute = 0.001, .rows = 4 };
    unsigned char bytes[FRAME_WORK], header[FRAME_HEADER];
    if (w->n > 3)
        num_double(w->word[3], w->word[3] + strlen(w->word[3]), &value);
    float *g = mem_new(n, sizeof *g, e);
    for (size_t i = 0; i < n; i++)
        g[i] = (float)value;
    work_encode(bytes, &work);
    int rc = 0;
    if (all) {
        rc = channel_send(&w->channel, &f, bytes, sizeof bytes, g, n * sizeof *g, e);
    } else {
        f.length = FRAME_WORK + n * sizeof *g;
        frame_encode(header, &f);
        if (write(w->channel.link.out, header, sizeof header) < 0 ||
            write(w->channel.link.out, bytes, 16) < 0)
            rc = err_sys(e, "write");
    }
    free(g);
    return rc;
}

static int do_grad(struct wire *w, struct err *e)
{
    return send_gradient(w, true, e);
}

static int do_half(struct wire *w, struct err *e)
{
    return send_gradient(w, false, e);
}

static int do_entries(struct wire *w, struct err *e)
{
    struct frame f = { .type = FRAME_GRAD, .flags = GRAD_SPARSE, .version = whole(w, 1), .seq = whole(w, 2) };
    struct work work = { .loss = 0.5, .compute = 0.001, .rows = 4 };
    uint32_t index[WORDS];
    float value[WORDS];
    unsigned char bytes[FRAME_WORK + sizeof index];
    const size_t n = w->n - 3;
    for (size_t k = 0; k < n; k++) {
        char *end;
        index[k] = (uint32_t)strtoul(w->word[3 + k], &end, 10);
        double v = 0;
        num_double(end + 1, end + strlen(end), &v);
        value[k] = (float)v;
    }
    work_encode(bytes, &work);
    memcpy(bytes + FRAME_WORK, index, n * sizeof *index);
    return channel_send(&w->channel, &f, bytes, FRAME_WORK + n * sizeof *index, value, n * sizeof *value, e);
}

static int send_work(struct wire *w, enum frame_type type, struct err *e)
{
    struct frame f = { .type = type, .seq = whole(w, 1) };
    struct work work = { .loss = NAN, .compute = 0.001 };
    unsigned char bytes[FRAME_WORK];
    work_encode(bytes, &work);
    return channel_send(&w->channel, &f, bytes, sizeof bytes, NULL, 0, e);
}

static int do_cancelled(struct wire *w, struct err *e)
{
    return send_work(w, FRAME_CANCELLED, e);
}

static int do_bye(struct wire *w, struct err *e)
{
    return send_work(w, FRAME_BYE, e);
}

static int do_heartbeat(struct wire *w, struct err *e)
{
    struct frame f = { .type = FRAME_HEARTBEAT };
    return channel_send(&w->channel, &f, NULL, 0, NULL, 0, e);
}

static int write_all(struct wire *w, const void *data, size_t n, struct err *e)
{
    return write(w->channel.link.out, data, n) == (ssize_t)n ? 0 : err_sys(e, "write");
}

static int do_header(struct wire *w, struct err *e)
{
    unsigned char header[FRAME_HEADER];
    struct frame f = { .type = (enum frame_type)whole(w, 1), .length = whole(w, 2) };
    f.flags = w->n > 3 ? (unsigned)whole(w, 3) : 0;
    frame_encode(header, &f);
    return write_all(w, header, sizeof header, e);
}

static int do_protocol(struct wire *w, struct err *e)
{
    unsigned char header[FRAME_HEADER];
    struct frame f = { .type = FRAME_HELLO };
    frame_encode(header, &f);
    put_u16(header + 4, (uint16_t)whole(w, 1));
    return write_all(w, header, sizeof header, e);
}

static int do_text(struct wire *w, struct err *e)
{
    return write_all(w, w->word[1], strlen(w->word[1]), e);
}

static const struct command {
    const char *name;
    size_t words; /* at least */
    int (*act)(struct wire *w, struct err *e);
} commands[] = {
    { "token", 2, do_token },         { "run", 2, do_run },     { "data", 2, do_data },
    { "shards", 2, do_shards },
    { "hello", 4, do_hello },         { "next", 1, do_next },   { "grad", 4, do_grad },
    { "half", 3, do_half },           { "bye", 2, do_bye },     { "cancelled", 2, do_cancelled },
    { "heartbeat", 1, do_heartbeat }, { "header", 3, do_header }, { "protocol", 2, do_protocol },
    { "text", 2, do_text },           { "back", 2, do_back },   { "sparse", 1, do_sparse },
    { "beat", 1, do_beat },           { "entries", 3, do_entries },
};

static int obey(struct wire *w, char *line, struct err *e)
{
    w->n = 0;
    for (char *s = strtok(line, " \n"); s != NULL && w->n < WORDS; s = strtok(NULL, " \n"))
        w->word[w->n++] = s;
    snprintf(w->answer, sizeof w->answer, "ok");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (w->n >= commands[i].words && strcmp(w->word[0], commands[i].name) == 0)
            return commands[i].act(w, e);
    return err_set(e, ERR_USAGE, "what?");
}

int main(int argc, char **argv)
{
    struct wire w = { 0 };
    struct address a;
    struct err e = { 0 };
    char line[TEXT];
    signal(SIGPIPE, SIG_IGN);
    if (argc != 2 || address_parse(&a, argv[1], &e) < 0 || channel_open(&w.channel, &a, NULL, 5, &e) < 0)
        return err_exit(&e, "wire");
    memcpy(w.token, a.token, sizeof w.token);
    while (fgets(line, sizeof line, stdin) != NULL && strcmp(line, "quit\n") != 0) {
        if (obey(&w, line, &e) < 0)
            snprintf(w.answer, sizeof w.answer, "failed: %s", e.text);
        puts(w.answer);
        fflush(stdout);
        e = (struct err){ 0 };
    }
    channel_close(&w.channel);
    json_decref(w.data);
    json_decref(w.shards);
    return 0;
}
