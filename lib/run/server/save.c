/* Checkpoints: when one is due. */
#include "run/server/save.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "run/aggregate_state.h"
#include "run/checkpoint.h"
#include "run/server/control.h"
#include "run/server/journal.h"
#include "run/server/scribe.h"
#include "run/shards.h"

struct save {
    struct scribe *scribe;
    struct event *answer; /* of the scribe */
    double next;      /* seconds when the next one is due */
    uint64_t saved;   /* update of the file; NO_PLACE: there is none of this run */
    uint64_t writing; /* update of the one under way */
    bool busy;        /* one is */
    bool due, last;   /* a newer one is wanted as soon as that is done; and no other will be */
    char told[sizeof ((struct err *)0)->text]; /* why the one before failed; "": it did not */
};

static void on_answer(evutil_socket_t fd, short what, void *self);

static int check(const struct server *s, struct err *e)
{
    const char *path = s->conf->checkpoint;
    struct out o;
    struct stat st;
    if (strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode)))
        return err_set(e, ERR_USAGE, "-C '%s': a checkpoint needs a file of its own", path);
    if (out_open(&o, path, e) < 0)
        return err_ctx(e, "the checkpoint (-C)");
    out_abort(&o);
    if (s->conf->train.output != NULL)
        out_sweep(s->conf->train.output);
    return 0;
}

int save_open(struct server *s, struct err *e)
{
    const struct server_conf *c = s->conf;
    if (c->checkpoint == NULL)
        return 0;
    s->save = check(s, e) < 0 ? NULL : mem_new(1, sizeof *s->save, e);
    if (s->save == NULL)
        return -1;
    s->save->saved = NO_PLACE;
    s->save->scribe = scribe_open(c->checkpoint, c->train.trace, e);
    return s->save->scribe == NULL ? err_ctx(e, "the checkpoint (-C)") : 0;
}

int save_listen(struct server *s, struct err *e)
{
    struct save *v = s->save;
    if (v == NULL)
        return 0;
    v->answer = event_new(s->base, scribe_fd(v->scribe), EV_READ | EV_PERSIST, on_answer, s);
    return v->answer == NULL || event_add(v->answer, NULL) < 0 ? err_memory(e) : 0;
}

void save_close(struct server *s)
{
    struct save *v = s->save;
    if (v == NULL)
        return;
    if (v->answer != NULL)
        event_free(v->answer);
    scribe_close(v->scribe);
    free(v);
    s->save = NULL;
}

bool save_busy(const struct server *s)
{
    return s->save != NULL && s->save->busy;
}

uint64_t save_done(const struct server *s)
{
    return s->save == NULL ? NO_PLACE : s->save->saved;
}

static void set_next(struct save *v, const struct every *every, double now)
{
    if (every->seconds > 0)
        v->next = (floor(now / every->seconds) + 1) * every->seconds;
}

void save_begin(struct server *s, double now, uint64_t saved)
{
    if (s->save == NULL)
        return;
    s->save->saved = saved;
    set_next(s->save, &s->conf->checkpoint_every, now);
}

/* What is told at once, but not again for the same reason; at the end it is the status of a run that ended well otherwise. */
static void failed(struct server *s, struct err *e)
{
    struct save *v = s->save;
    bool again = strcmp(v->told, e->text) == 0;
    control_saved(s, e);
    memcpy(v->told, e->text, sizeof v->told);
    err_ctx(e, "no checkpoint of update %ju", (uintmax_t)v->writing);
    if (v->last && !v->due && s->failure.kind == ERR_OK)
        s->failure = *e;
    if (v->last || again)
        return;
    log_note(s->log, "%s; the run goes on", e->text);
    if (v->saved != NO_PLACE && stat(s->conf->checkpoint, &(struct stat){ 0 }) == 0)
        log_note(s->log, "%s is that of update %ju", s->conf->checkpoint, (uintmax_t)v->saved);
}

static void *room(void *self, size_t bytes, struct err *e)
{
    return scribe_room(((struct save *)self)->scribe, bytes, e);
}

/* Those in force at the last update; what they were at the start stands beside them, for command lines say that. */
static int tell_rules(struct server *s)
{
    struct aggregate_state at;
    if (s->told.n == 0)
        return 0;
    aggregate_state(s->aggregate, &at);
    if (json_object_get(s->about, "began") == NULL &&
        json_object_set_new(s->about, "began",
                            json_pack("{s:O, s:O}", "policy", json_object_get(s->about, "policy"), "step",
                                      json_object_get(s->about, "step"))) < 0)
        return -1;
    return json_object_set_new(s->about, "policy", json_string(at.policy_text)) < 0 ||
                   json_object_set_new(s->about, "step", json_string(at.step_text)) < 0
               ? -1
               : 0;
}

/* The state is copied; all else is the scribe's. */
static int hand_over(struct server *s, struct err *e)
{
    struct checkpoint_note note = {
        .conf = &s->conf->train,
        .shape = &s->shape,
        .run = s->about,
        .trace = journal_place(s),
        .workers = s->workers,
    };
    size_t bytes, at;
    if (tell_rules(s) < 0)
        return err_memory(e);
    json_t *shards = json_array();
    for (uint64_t r = 0; r < s->workers; r++)
        shards_append(shards, r, s->places[r].shards);
    if (json_object_set_new(s->about, "shards", shards) < 0)
        return err_memory(e);
    if (checkpoint_put(&note, s->aggregate, room, s->save, &bytes, &at, e) < 0)
        return -1;
    return scribe_write(s->save->scribe, bytes, at, e);
}

static void start(struct server *s)
{
    struct save *v = s->save;
    struct err e = { 0 };
    v->due = false;
    v->writing = aggregate_iteration(s->aggregate);
    journal_flush(s);
    v->busy = hand_over(s, &e) == 0;
    if (!v->busy)
        failed(s, &e);
}

static void start_if_due(struct server *s)
{
    if (s->save->due && !s->save->busy)
        start(s);
}

void save_updated(struct server *s, double now)
{
    struct save *v = s->save;
    if (v == NULL)
        return;
    const struct every *every = &s->conf->checkpoint_every;
    if (every->updates > 0 ? aggregate_iteration(s->aggregate) % every->updates == 0
                           : now >= v->next) {
        v->due = true;
        set_next(v, every, now);
    }
    start_if_due(s);
}

int save_now(struct server *s, struct err *e)
{
    struct save *v = s->save;
    if (v == NULL)
        return err_set(e, ERR_USAGE, "there is no checkpoint (-C)");
    v->due = v->due || (v->busy ? v->writing : v->saved) != aggregate_iteration(s->aggregate);
    start_if_due(s);
    if (!v->busy)
        control_saved(s, NULL);
    return 0;
}

void save_last(struct server *s)
{
    struct save *v = s->save;
    if (v == NULL)
        return;
    v->last = true;
    v->due = (v->busy ? v->writing : v->saved) != aggregate_iteration(s->aggregate);
    start_if_due(s);
}

static void on_answer(evutil_socket_t fd, short what, void *self)
{
    (void)fd, (void)what;
    struct server *s = self;
    struct save *v = s->save;
    struct err e = { 0 };
    bool asked = v->busy;
    int rc = scribe_answer(v->scribe, &e);
    v->busy = false;
    if (!asked) {
        event_del(v->answer); /* it has ended: the next order will tell */
        return;
    }
    if (rc < 0) {
        failed(s, &e);
    } else {
        v->saved = v->writing;
        v->told[0] = '\0';
        control_saved(s, NULL);
        log_detail(s->log, "%s is the checkpoint of update %ju", s->conf->checkpoint,
                   (uintmax_t)v->saved);
    }
    start_if_due(s);
    server_settle(s);
}
