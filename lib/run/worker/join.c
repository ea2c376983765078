/* A worker's way into a run, and back in: dialling with growing pauses, HELLO, WELCOME. */
#include "run/worker/join.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

/* Seconds. Until the welcome tells the server's own limit: it sends a heartbeat every second while it waits for the
 * other workers, and may itself hold a worker lost after less than a second. Who comes back knows that limit. */
static const double welcome_limit = 15, least_limit = 3, welcome_beat = 0.25;
static const double first_pause = 0.05, growth = 1.5, longest_pause = 2;
static const double notice_after = 2; /* seconds of trying until people are told */
static const double words_wait = 0.5;


static void sleep_for(double seconds)
{
    if (seconds > 0)
        poll(NULL, 0, (int)(seconds * 1e3) + 1);
}

static int attempt(struct join *j, double seconds, struct err *e)
{
    char text[ADDRESS_TEXT];
    if (address_parse_or_file(&j->address, j->connect, e) < 0)
        return -1;
    if (guard_suits(j->secrets, &j->address, e) < 0)
        return err_ctx(e, "%s", address_text(&j->address, text, sizeof text));
    return channel_open(&j->channel, &j->address, j->guard, seconds, e);
}

static int give_up(const struct join *j, struct err *e)
{
    struct err why = *e;
    return err_set(e, ERR_PEER, "%s%.900s (tried for %g s)",
                   j->entered ? "the run is over, or its server is gone: " : "", why.text,
                   j->timeout);
}

static void notice(struct join *j, double was, const struct err *why)
{
    double tried = j->timeout - (j->end - clock_now());
    if (was < notice_after && tried >= notice_after)
        log_note(j->log, "%s; trying for %g s", why->text, j->timeout);
}

int join_dial(struct join *j, struct err *e)
{
    double tried = 0;
    if (j->end == 0)
        j->end = clock_now() + j->timeout;
    for (;;) {
        double left = j->end - clock_now();
        if (j->pause > 0 && left <= 0)
            return give_up(j, e);
        sleep_for(j->pause < left ? j->pause : left);
        j->pause = j->pause == 0 ? first_pause : j->pause * growth;
        if (j->pause > longest_pause)
            j->pause = longest_pause;
        *e = (struct err){ 0 };
        left = j->end - clock_now();
        if (attempt(j, left > 0 ? left : 0, e) == 0)
            return 0;
        if (e->kind == ERR_USAGE || e->kind == ERR_DATA || e->kind == ERR_PEER)
            return -1;
        notice(j, tried, e);
        tried = j->timeout - (j->end - clock_now());
    }
}

/* The payload of a frame of text, with a 0 behind it; free() it. */
static char *read_text(struct join *j, const struct frame *f, struct err *e)
{
    if (f->length > FRAME_TEXT_MAX) {
        err_set(e, ERR_PEER, "the server sent a text of %llu bytes",
                (unsigned long long)f->length);
        return NULL;
    }
    char *text = mem_new((size_t)f->length + 1, 1, e);
    if (text != NULL && channel_read(&j->channel, text, (size_t)f->length, e) == 0)
        return text;
    free(text);
    return NULL;
}

int join_error(struct join *j, const struct frame *f, struct err *e)
{
    char *text = read_text(j, f, e);
    if (text == NULL)
        return -1;
    bool known = f->flags >= ERR_NO && f->flags <= ERR_PEER;
    err_set(e, known ? (enum err_kind)f->flags : ERR_PEER, "%s", text);
    j->refused = true;
    free(text);
    return -1;
}

static int send_hello(struct join *j, struct hello *h, struct err *e)
{
    char token[TOKEN_TEXT] = { 0 };
    struct frame f = { .type = FRAME_HELLO };
    memcpy(token, j->address.token, strlen(j->address.token));
    h->rank = j->rank;
    h->back = j->entered;
    char *text = hello_text(h, e);
    if (text == NULL)
        return -1;
    int sent = channel_send(&j->channel, &f, token, sizeof token, text, strlen(text), e);
    free(text);
    return sent;
}

static int read_welcome(struct join *j, const struct frame *f, struct welcome *w, struct err *e)
{
    char *text = read_text(j, f, e);
    if (text == NULL)
        return -1;
    int read = welcome_parse(w, text, (size_t)f->length, e);
    free(text);
    if (read < 0)
        return -1;
    j->rank = (int64_t)w->rank;
    j->channel.limit = j->silence = w->timeout;
    j->channel.beat = w->timeout / 6;
    j->entered = true;
    j->end = j->pause = 0;
    return 1;
}

int join_enter(struct join *j, struct hello *h, struct welcome *w, struct err *e)
{
    j->channel.limit = j->entered ? fmin(fmax(j->silence, least_limit), welcome_limit) : welcome_limit;
    j->channel.beat = welcome_beat;
    if (send_hello(j, h, e) < 0)
        return -1;
    for (;;) {
        struct frame f;
        int come = channel_wait(&j->channel, welcome_limit, &f, e);
        if (come < 0)
            return -1;
        if (come == 0 || (f.type == FRAME_HEARTBEAT && f.length == 0))
            continue;
        if (f.type == FRAME_WELCOME)
            return read_welcome(j, &f, w, e);
        if (f.type == FRAME_BYE)
            return 0;
        if (f.type == FRAME_ERROR)
            return join_error(j, &f, e);
        return err_set(e, ERR_PEER, "the server sent no welcome, but a frame of type %d",
                       (int)f.type);
    }
}

/* Reads on for an ERROR among what came before the connection broke. */
static void last_words(struct join *j, struct err *e)
{
    struct err why = { 0 };
    struct frame f;
    while (channel_wait(&j->channel, words_wait, &f, &why) > 0) {
        if (f.type == FRAME_ERROR) {
            join_error(j, &f, &why);
            break;
        }
        if (channel_skip(&j->channel, f.length, &why) < 0)
            break;
    }
    if (j->refused)
        *e = why;
}

/* Refused at an address that is not in its file any more: it was that of an earlier server. */
static bool moved(const struct join *j)
{
    struct address now = { 0 };
    struct err ignored = { 0 };
    char here[ADDRESS_TEXT], there[ADDRESS_TEXT];
    return j->connect[0] == '@' && address_parse_or_file(&now, j->connect, &ignored) == 0 &&
           strcmp(address_full(&now, here, sizeof here), address_full(&j->address, there, sizeof there)) != 0;
}

static void explain_refusal(struct join *j, struct err *e)
{
    j->moved = moved(j);
    j->refused = !j->moved;
    if (j->connect[0] == '@')
        err_ctx(e, "%s%s", j->connect, j->moved ? " has another address now" : "");
}

void join_explain(struct join *j, struct err *e)
{
    struct err ignored = { 0 };
    struct frame f = { .type = FRAME_ERROR, .flags = e->kind };
    char text[ADDRESS_TEXT];
    j->moved = false;
    if (!j->refused && j->channel.lost) {
        last_words(j, e);
    } else if (!j->refused) {
        channel_send(&j->channel, &f, e->text, strlen(e->text), NULL, 0, &ignored);
        j->channel.lost = false; /* what ended it is e, whether the server still hears it or not */
    }
    if (j->refused)
        explain_refusal(j, e);
    else if (!j->own && e->kind == ERR_PEER)
        err_ctx(e, "%s", address_text(&j->address, text, sizeof text));
}

bool join_lost(const struct join *j)
{
    return (j->moved || j->channel.lost) && !j->refused && j->address.kind != ADDRESS_STDIO;
}
