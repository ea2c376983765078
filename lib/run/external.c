/* Gradients by a program of the user's: questions, answers, and what becomes of the program between. */
#include "run/external.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/answer.h"
#include "run/program.h"

enum { ASKED = 2 /* questions without an answer, at most */, LINE = 4096, PIPE = 16 /* lines in a pipe */ };
static const double last_moment = 0.5; /* seconds for a program whose input or output ended to end itself */
static const double look_every = 1;    /* seconds: of a program that ended the output may still be open to others */

struct external {
    const struct external_conf *conf;
    const struct log *log;
    const struct layout *layout;
    int64_t rank; /* negative: not known yet */
    struct program program;
    struct question asked[ASKED]; /* in order; the last one is being written, or is out */
    size_t n;
    double since;         /* clock when the first of them became the first */
    struct question next; /* to be asked when the program is ready for it; without bytes: there is none */
    bool wanted;          /* the answer to the newest */
    struct incoming in;
    char line[LINE]; /* of its standard error, not ended yet */
    size_t line_n;
    uint64_t restarts; /* since the last answer */
    uint64_t thrown;   /* answers to what was void */
};

int set_cancel(void *target, const char *text, struct err *e)
{
    static const struct {
        const char *name;
        int value;
    } known[] = {
        { "wait", CANCEL_WAIT }, { "record", CANCEL_RECORD }, { "HUP", SIGHUP },   { "INT", SIGINT },
        { "TERM", SIGTERM },     { "USR1", SIGUSR1 },         { "USR2", SIGUSR2 },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(text, known[i].name) == 0) {
            *(int *)target = known[i].value;
            return 0;
        }
    return err_set(e, ERR_USAGE, "known are wait, record, and the signals HUP, INT, TERM, USR1, USR2");
}

/* What it said on its standard error: whole lines, the rank in front. */
static void print_line(struct external *x)
{
    if (x->rank >= 0)
        fprintf(stderr, "%" PRId64 ": %.*s\n", x->rank, (int)x->line_n, x->line);
    else
        fprintf(stderr, "?: %.*s\n", (int)x->line_n, x->line);
    x->line_n = 0;
}

/* At most so many pieces of it: one that never stops writing must not keep the worker from everything else. */
static void relay(struct external *x, unsigned pieces)
{
    char bytes[LINE];
    ssize_t n = -1;
    while (pieces-- > 0 && x->program.err >= 0 && (n = read(x->program.err, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < n; i++) {
            if (bytes[i] != '\n')
                x->line[x->line_n++] = bytes[i];
            if (bytes[i] == '\n' || x->line_n == LINE)
                print_line(x);
        }
    if (x->program.err >= 0 && n == 0) {
        close(x->program.err);
        x->program.err = -1;
    }
}

static int start(struct external *x, struct err *e)
{
    char rank[32];
    const char *const set[] = { x->rank < 0 ? NULL : rank, NULL };
    snprintf(rank, sizeof rank, "DSGD_RANK=%" PRId64, x->rank);
    return program_start(&x->program, x->conf->command, set, e);
}

/* Returns its fate. What it said until then is shown. */
static const char *stop(struct external *x, double patience, char *text, size_t room)
{
    program_end(&x->program, patience, text, room);
    relay(x, PIPE);
    if (x->line_n > 0)
        print_line(x);
    program_close(&x->program);
    incoming_free(&x->in);
    return text;
}

/* The first k questions are through. */
static void forget(struct external *x, size_t k)
{
    for (size_t i = 0; i < k; i++)
        outgoing_free(&x->asked[i].record);
    x->n -= k;
    memmove(x->asked, x->asked + k, x->n * sizeof *x->asked);
}

struct external *external_open(const struct external_conf *conf, int64_t rank, const struct log *log, struct err *e)
{
    struct external *x = mem_new(1, sizeof *x, e);
    if (x == NULL)
        return NULL;
    x->conf = conf;
    x->log = log;
    x->rank = rank;
    if (start(x, e) == 0)
        return x;
    free(x);
    return NULL;
}

void external_close(struct external *x)
{
    char fate[64];
    if (x == NULL)
        return;
    program_close_input(&x->program);
    stop(x, x->n == 0 ? last_moment : 0, fate, sizeof fate);
    if (x->thrown > 0)
        log_detail(x->log, "%" PRIu64 " answers of the external program were void", x->thrown);
    forget(x, x->n);
    outgoing_free(&x->next.record);
    free(x);
}

void external_join(struct external *x, const struct layout *l, uint64_t rank)
{
    x->layout = l;
    x->rank = (int64_t)rank;
}

static struct outgoing *last_asked(struct external *x)
{
    return x->n > 0 ? &x->asked[x->n - 1].record : NULL;
}

/* A second question goes out before the first is answered only where that is how the program learns of it. */
static void ask_next(struct external *x)
{
    const struct outgoing *last = last_asked(x);
    size_t most = x->conf->cancel == CANCEL_RECORD ? ASKED : 1;
    if (x->next.record.bytes == NULL || x->n == most || (last != NULL && last->at < last->n))
        return;
    if (x->n == 0)
        x->since = clock_now();
    x->asked[x->n++] = x->next;
    x->next = (struct question){ 0 };
}

void external_ask(struct external *x, const struct question *q)
{
    if (x->conf->cancel > 0 && x->wanted && x->n > 0 && x->program.pid > 0)
        kill(x->program.pid, x->conf->cancel);
    outgoing_free(&x->next.record);
    x->next = *q;
    x->wanted = true;
    ask_next(x);
}

/* The newest question to a program that knows of none. */
static void ask_again(struct external *x)
{
    if (x->wanted && x->next.record.bytes == NULL && x->n > 0) {
        x->next = x->asked[--x->n];
        x->next.record.at = 0;
    }
    forget(x, x->n);
    ask_next(x);
}

/* It is of no use as it is: anew, or the end. */
static int died(struct external *x, double patience, const char *why, struct err *e)
{
    char text[64];
    const char *fate = stop(x, patience, text, sizeof text);
    bool unknown = strcmp(fate, "ended with status 127") == 0 || strcmp(fate, "ended with status 126") == 0;
    fate = why != NULL ? why : fate;
    if (x->restarts == x->conf->restarts || unknown) {
        err_set(e, ERR_PEER, "external program '%.300s' %s", x->conf->command, fate);
        return -1;
    }
    x->restarts++;
    log_note(x->log, "external program '%.300s' %s: it is started again (%" PRIu64 " of %" PRIu64 ")",
             x->conf->command, fate, x->restarts, x->conf->restarts);
    if (start(x, e) < 0)
        return -1;
    ask_again(x);
    return 0;
}

/* Which question it is that was answered; those before it never will be. */
static int find_asked(const struct external *x, size_t *at, struct err *e)
{
    uint64_t seq = x->n > 0 ? x->asked[0].seq : 0;
    if (answer_seq(&x->in.record, &seq, e) < 0)
        return -1;
    for (*at = 0; *at < x->n; ++*at)
        if (x->asked[*at].seq == seq)
            return 0;
    return err_set(e, ERR_PEER, "it answers minibatch %" PRIu64 ", which nobody asks for", seq);
}

/* 1: it was the answer that is wanted. */
static int take_answer(struct external *x, float *g, uint64_t *rows, double *loss, struct err *e)
{
    size_t at;
    if (find_asked(x, &at, e) < 0)
        return -1;
    bool newest = x->wanted && at + 1 == x->n && x->next.record.bytes == NULL;
    if (newest && answer_take(&x->in.record, x->layout, x->asked[at].rows, g, rows, loss, e) < 0)
        return err_ctx(e, "its answer");
    incoming_free(&x->in);
    forget(x, at + 1);
    x->since = clock_now();
    x->restarts = 0;
    x->thrown += !newest;
    x->wanted = x->wanted && !newest;
    ask_next(x);
    return newest;
}

/* As far as the pipes go, and to the answer that is wanted. */
static int move(struct external *x, float *g, uint64_t *rows, double *loss, struct err *e)
{
    bool ended = program_ended(&x->program);
    size_t most = x->layout->size * sizeof *g;
    struct outgoing *out;
    for (;;) {
        enum flow to = (out = last_asked(x)) == NULL || x->program.in < 0
                           ? FLOW_WAIT : outgoing_write(out, x->program.in, e);
        if (to == FLOW_CLOSED)
            program_close_input(&x->program); /* why is told by what follows */
        else if (to == FLOW_DONE)
            ask_next(x);
        enum flow from = to == FLOW_FAILED ? to : incoming_read(&x->in, x->program.out, most, e);
        if (from == FLOW_CLOSED || (from == FLOW_WAIT && ended))
            return died(x, last_moment, NULL, e);
        if (from != FLOW_DONE)
            return from == FLOW_WAIT ? 0 : -1;
        int got = take_answer(x, g, rows, loss, e);
        if (got != 0)
            return got;
    }
}

int external_serve(struct external *x, float *g, uint64_t *rows, double *loss, struct err *e)
{
    char why[64];
    relay(x, 1);
    int got = move(x, g, rows, loss, e);
    if (got < 0 && e->kind == ERR_PEER && x->program.pid > 0)
        return err_ctx(e, "external program '%.300s'", x->conf->command);
    if (got != 0 || x->n == 0 || clock_now() < x->since + x->conf->timeout)
        return got;
    snprintf(why, sizeof why, "did not answer for %g s", x->conf->timeout);
    return died(x, 0, why, e);
}

size_t external_watch(const struct external *x, struct watched w[static EXTERNAL_WATCHED])
{
    const struct program *p = &x->program;
    const struct question *last = x->n > 0 ? &x->asked[x->n - 1] : NULL;
    size_t n = 0;
    w[n++] = (struct watched){ .fd = p->out };
    if (p->err >= 0)
        w[n++] = (struct watched){ .fd = p->err };
    if (p->in >= 0 && last != NULL && last->record.at < last->record.n)
        w[n++] = (struct watched){ .fd = p->in, .to_write = true };
    return n;
}

double external_until(const struct external *x)
{
    return x->n > 0 ? fmin(x->since + x->conf->timeout, clock_now() + look_every) : INFINITY;
}
