/* A worker: takes parameters and a minibatch number, computes, waits out the delay, pushes. */
#include "run/worker/worker.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_PRCTL
#include <sys/prctl.h>
#endif

#include "base/clock.h"
#include "base/mem.h"
#include "delay/delay.h"
#include "learn/gradient.h"
#include "net/channel.h"
#include "run/compute.h"
#include "run/hello.h"
#include "run/worker/join.h"
#include "run/worker/parcel.h"
#include "run/worker/request.h"

/* What becomes of the minibatch in hand. */
enum stage { IDLE, COMPUTING, DELAYING };

struct worker {
    const struct worker_conf *conf;
    struct dataset data;
    struct join join;
    struct hello hello; /* views of what is elsewhere; the name is owned */
    struct welcome welcome;
    struct compute *compute;
    struct parcel parcel;
    struct external *external; /* who computes; NULL: we do */
    struct watched watched[EXTERNAL_WATCHED];
    bool answered; /* by it, for the minibatch in hand */

    enum stage stage;
    uint64_t version, seq;  /* of the minibatch in hand */
    double began, computed; /* clock when its computation began, ended */
    double until;           /* clock when its delay is over */
};

static struct channel *channel(struct worker *w)
{
    return &w->join.channel;
}

/* Time spent so far on the minibatch in hand. */
static struct work spent(const struct worker *w, double now)
{
    if (w->stage == COMPUTING)
        return (struct work){ .loss = NAN, .compute = now - w->began };
    return (
        struct work){ .loss = NAN, .compute = w->computed - w->began, .delay = now - w->computed };
}

static int send_work(struct worker *w, enum frame_type type, uint64_t seq, const struct work *work, struct err *e)
{
    unsigned char bytes[FRAME_WORK];
    struct frame f = { .type = type, .version = w->version, .seq = seq };
    work_encode(bytes, work);
    return channel_send(channel(w), &f, bytes, sizeof bytes, NULL, 0, e);
}

/* Gives up the minibatch in hand, and says so. */
static int cancel(struct worker *w, struct err *e)
{
    if (w->stage == IDLE)
        return 0;
    struct work work = spent(w, clock_now());
    w->stage = IDLE;
    return send_work(w, FRAME_CANCELLED, w->seq, &work, e);
}

static int push(struct worker *w, struct err *e)
{
    struct work work = spent(w, clock_now());
    const struct frame f = { .type = FRAME_GRAD, .version = w->version, .seq = w->seq };
    w->stage = IDLE;
    return parcel_push(&w->parcel, channel(w), &f, &work, w->compute, w->welcome.sparse, e);
}

/* Begins to compute the minibatch in hand, or has it computed. */
static int begin(struct worker *w, struct err *e)
{
    struct question q;
    w->began = clock_now();
    w->stage = COMPUTING;
    compute_begin(w->compute, w->seq);
    if (w->external == NULL)
        return 0;
    if (request_make(&q, w->compute, &w->welcome, w->version, w->seq, e) < 0)
        return -1;
    w->answered = false;
    external_ask(w->external, &q);
    return 0;
}

/* Moves what can be moved between us and the program. */
static int tend(struct worker *w, struct err *e)
{
    uint64_t rows;
    double loss;
    if (w->external == NULL)
        return 0;
    int got = external_serve(w->external, compute_into(w->compute), &rows, &loss, e);
    if (got > 0)
        compute_done(w->compute, rows, loss);
    w->answered = w->answered || got > 0;
    w->join.own = got < 0; /* the server has nothing to do with it */
    return got < 0 ? -1 : 0;
}

/* The answers: 1 to go on, 0 when the run is over, -1 and e. */

static int on_params(struct worker *w, const struct frame *f, struct err *e)
{
    if (cancel(w, e) < 0 || parcel_take(&w->parcel, channel(w), f, w->compute, e) < 0)
        return -1;
    w->version = f->version;
    w->seq = f->seq;
    return begin(w, e) < 0 ? -1 : 1;
}

static int on_heartbeat(struct worker *w, const struct frame *f, struct err *e)
{
    (void)w;
    return f->length == 0 ? 1 : err_set(e, ERR_PEER, "a heartbeat of %" PRIu64 " bytes", f->length);
}

static int on_bye(struct worker *w, const struct frame *f, struct err *e)
{
    (void)f, (void)e;
    struct work work = { .loss = NAN };
    uint64_t seq = FRAME_NO_SEQ;
    if (w->stage != IDLE) {
        work = spent(w, clock_now());
        seq = w->seq;
    }
    /* Nobody may be there to hear it any more: the run is over all the same. */
    struct err ignored = { 0 };
    send_work(w, FRAME_BYE, seq, &work, &ignored);
    return 0;
}

static int on_error(struct worker *w, const struct frame *f, struct err *e)
{
    return join_error(&w->join, f, e);
}

typedef int answer(struct worker *w, const struct frame *f, struct err *e);
static answer *const answers[FRAME_ERROR + 1] = {
    [FRAME_PARAMS] = on_params,
    [FRAME_HEARTBEAT] = on_heartbeat,
    [FRAME_BYE] = on_bye,
    [FRAME_ERROR] = on_error,
};

static int take(struct worker *w, const struct frame *f, struct err *e)
{
    if (answers[f->type] == NULL)
        return err_set(e, ERR_PEER, "the server sent a frame of type %d", (int)f->type);
    return answers[f->type](w, f, e);
}

static int compute_some(struct worker *w, struct err *e)
{
    int more = w->external == NULL ? compute_chunk(w->compute, e) : !w->answered;
    if (more != 0)
        return more;
    w->stage = DELAYING;
    w->computed = clock_now();
    w->until = w->computed + delay_of(&w->conf->delay, w->welcome.seed, w->welcome.rank, w->seq);
    return 1;
}

/* Seconds for which the channel alone is of interest, or what else it watches. */
static double pause_of(struct worker *w)
{
    double end = w->stage == IDLE ? INFINITY : w->stage == COMPUTING ? 0 : w->until;
    if (w->external != NULL) {
        end = w->stage == DELAYING ? end : INFINITY;
        end = fmin(end, external_until(w->external));
        channel(w)->others = w->watched;
        channel(w)->n_others = external_watch(w->external, w->watched);
    }
    return isfinite(end) ? fmax(end - clock_now(), 0) : end;
}

/* Nothing comes from the server: on with what is under way. */
static int go_on(struct worker *w, struct err *e)
{
    if (tend(w, e) < 0)
        return -1;
    if (w->stage == COMPUTING)
        return compute_some(w, e) < 0 ? -1 : 0;
    return w->stage == DELAYING && clock_now() >= w->until ? push(w, e) : 0;
}

/* Until the run is over: 0. What comes from the server goes before what is under way. */
static int serve(struct worker *w, struct err *e)
{
    for (;;) {
        struct frame f;
        int come = channel_wait(channel(w), pause_of(w), &f, e);
        if (come < 0)
            return -1;
        int more = come > 0 ? take(w, &f, e) : go_on(w, e) < 0 ? -1 : 1;
        if (more <= 0)
            return more;
    }
}

static int open_compute(struct worker *w, struct err *e)
{
    if (w->external == NULL && json_is_array(w->welcome.tensors))
        return err_set(e, ERR_USAGE, "the model of this run is '%s': give the program that computes its gradients by "
                       "--external", w->welcome.model);
    if (w->external == NULL)
        w->compute = compute_open(&w->data, &w->welcome, e);
    if (w->compute != NULL && compute_sparsely(w->compute, e) < 0)
        return -1;
    if (w->external != NULL)
        w->compute = compute_outside(&w->data, w->conf->external.rows, &w->welcome, e);
    if (w->compute != NULL && w->external != NULL)
        external_join(w->external, compute_layout(w->compute), w->welcome.rank);
    return w->compute == NULL ? -1 : 0;
}

/* From HELLO to BYE, on a connection that stands. 0: the run is over. */
static int session(struct worker *w, struct err *e)
{
    const struct external_conf *program = &w->conf->external;
    if (program->command != NULL &&
        (w->external = external_open(program, w->join.rank, &w->conf->log, e)) == NULL)
        return -1;
    int joined = join_enter(&w->join, &w->hello, &w->welcome, e);
    if (joined <= 0)
        return joined;
    return open_compute(w, e) < 0 ? -1 : serve(w, e);
}

static void leave_session(struct worker *w)
{
    channel(w)->n_others = 0;
    external_close(w->external);
    compute_close(w->compute);
    welcome_free(&w->welcome);
    channel_close(channel(w));
    w->external = NULL;
    w->compute = NULL;
    w->stage = IDLE;
    w->parcel.holds = false;
}

/* One connection after the other until the run is over. */
static int work(struct worker *w, struct err *e)
{
    for (;;) {
        if (join_dial(&w->join, e) < 0)
            return -1;
        int done = session(w, e);
        if (done < 0)
            join_explain(&w->join, e);
        leave_session(w);
        if (done == 0 || !join_lost(&w->join))
            return done;
        log_note(&w->conf->log, "%s; trying to come back", e->text);
    }
}

static int fill_hello(struct worker *w, struct err *e)
{
    static char outside[] = "external";
    bool own = w->conf->external.command == NULL;
    char host[256] = "?";
    gethostname(host, sizeof host - 1);
    w->hello = (struct hello){ .program = (char *)(uintptr_t)PACKAGE_VERSION,
                               .run = (char *)(uintptr_t)w->conf->run,
                               .kernel = own ? (char *)(uintptr_t)gradient_kernel() : outside,
                               .blas = own ? (char *)(uintptr_t)gradient_blas() : outside,
                               .rows = w->data.rows > 0 ? w->data.rows : w->conf->external.rows,
                               .features = w->data.features,
                               .classes = w->data.classes,
                               .sparse = true,
                               .data = w->data.meta,
                               .shards = w->data.shards };
    w->hello.name = mem_print(e, "%s:%ld", host, (long)getpid());
    return w->hello.name ? 0 : -1;
}

/* Rows are here, or with an external program. */
static int check_rows(const struct external_conf *c, size_t n, struct err *e)
{
    if (c->command == NULL && n == 0)
        return err_set(e, ERR_USAGE, "no shard was named (see dsgd-worker --help)");
    if (c->command == NULL && c->rows > 0)
        return err_set(e, ERR_USAGE, "--external-rows: only an external program has rows of its own (--external)");
    if (c->command != NULL && (n == 0) == (c->rows == 0))
        return err_set(e, ERR_USAGE, n == 0 ? "--external: name shards, or give --external-rows, how many rows the "
                                              "program has itself"
                                            : "--external-rows: the rows are those of the shards that are named");
    return 0;
}

static int read_data(struct worker *w, char *const *paths, size_t n, struct err *e)
{
    struct input in = w->conf->input;
    if (n == 0)
        return 0;
    uint64_t number = (uint64_t)w->conf->rank;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(paths[i], "-") != 0)
            continue;
        if (strcmp(w->join.connect, "stdio") == 0)
            return err_set(e, ERR_USAGE, "-: stdin is the connection to the server");
        if (w->conf->rank == RANK_ANY)
            return err_set(e, ERR_USAGE, "-: a shard of a stream needs a rank: give -r RANK");
        in.only = &number;
    }
    return dataset_read(&w->data, paths, n, &in, 0, &w->conf->log, e);
}

/* Before anything is read: what cannot work is said at once. */
static int check_address(const struct worker *w, struct err *e)
{
    struct address a;
    if (w->join.connect[0] == '@')
        return 0; /* may be written later */
    if (address_parse(&a, w->join.connect, e) < 0)
        return -1;
    if (guard_suits(&w->conf->secrets, &a, e) < 0)
        return err_ctx(e, "%s", w->join.connect);
    if (a.kind == ADDRESS_STDIO && (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO)))
        return err_set(e, ERR_USAGE, "a terminal is no server: give -c ADDRESS");
    return 0;
}

static int open_guard(struct worker *w, struct err *e)
{
    if (!secrets_given(&w->conf->secrets))
        return 0;
    w->join.guard = guard_open(&w->conf->secrets, false, e);
    return w->join.guard == NULL ? -1 : 0;
}

/* Delays are waited out to the microsecond where the system lets us. */
static void exact_timers(void)
{
#ifdef PR_SET_TIMERSLACK
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
#endif
}

/* Who does not read them must not stop the heartbeats, and with them the run. */
static void tell_missing(const struct log *log)
{
    if (log->reader->lost > 0)
        log_note(log, "%lu lines are missing here: nobody read them", log->reader->lost);
}

int worker_run(const struct worker_conf *given, char *const *paths, size_t n, struct err *e)
{
    struct stderr_reader reader = { 0 };
    struct worker_conf conf = *given;
    struct worker w = { .conf = &conf };
    conf.log.reader = &reader;
    w.join = (struct join){ .connect = conf.connect ? conf.connect : "stdio",
                            .timeout = conf.connect_timeout,
                            .secrets = &conf.secrets,
                            .log = &conf.log,
                            .rank = conf.rank };
    signal(SIGPIPE, SIG_IGN);
    exact_timers();
    int done = -1;
    if (check_rows(&conf.external, n, e) == 0 && check_address(&w, e) == 0 &&
        open_guard(&w, e) == 0 && read_data(&w, paths, n, e) == 0 && fill_hello(&w, e) == 0)
        done = work(&w, e);
    tell_missing(&conf.log);
    guard_close(w.join.guard);
    free(w.hello.name);
    parcel_free(&w.parcel);
    dataset_free(&w.data);
    return done;
}
