/* A run: what every worker did when, and how stale the gradients were. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/trace.h"
#include "run/report/plot_kinds.h"
#include "run/report/ledger.h"

/* So many minibatches of a worker are told apart in a picture. */
enum { SHOWN = 25 };

static int add_bar(struct story *s, const struct trace_event *ev, double since, enum bar_fate fate, struct err *e)
{
    double seconds = ev->compute + (isnan(ev->delay) ? 0 : ev->delay);
    double first = isnan(seconds) ? since : ev->time - seconds;
    if (!(first < ev->time))
        return 0;
    if (mem_grow(&s->v, &s->cap, s->n + 1, sizeof *s->v, e) < 0)
        return -1;
    s->v[s->n++] = (struct bar){ (double)ev->worker, fmax(first, 0), ev->time, fate };
    return 0;
}

static int count_stale(struct story *s, uint64_t staleness, struct err *e)
{
    if (staleness == TRACE_NA || staleness > 1000000)
        return 0;
    if (mem_grow(&s->stale, &s->stale_cap, staleness + 1, sizeof *s->stale, e) < 0)
        return -1;
    while (s->stales <= staleness)
        s->stale[s->stales++] = 0;
    s->stale[staleness]++;
    s->used++;
    return 0;
}

static int add_update(struct story *s, double time, struct err *e)
{
    if (mem_grow(&s->update, &s->update_cap, s->updates + 1, sizeof *s->update, e) < 0)
        return -1;
    s->update[s->updates++] = time;
    return 0;
}

static int tell(struct story *s, const struct trace_event *ev, const struct fact *f, struct err *e)
{
    s->ended = ev->time;
    if (ev->worker != TRACE_NA)
        s->workers = fmax(s->workers, (double)ev->worker + 1);
    switch (ev->kind) {
    case TRACE_PUSH:
        return add_bar(s, ev, f->sent, BAR_USED, e) < 0 ? -1 : count_stale(s, ev->staleness, e);
    case TRACE_UPDATE:
        return add_update(s, ev->time, e);
    case TRACE_CANCELLED:
        return add_bar(s, ev, f->sent, BAR_CANCELLED, e);
    case TRACE_LATE:
    case TRACE_DROP:
        return add_bar(s, ev, f->sent, BAR_LATE, e);
    case TRACE_LEAVE:
        return ev->seq == TRACE_NA ? 0 : add_bar(s, ev, f->sent, BAR_UNFINISHED, e);
    default:
        return 0;
    }
}

static int hear(struct story *s, const char *path, struct err *e)
{
    struct trace_reader r = { 0 };
    struct ledger l = { 0 };
    struct trace_event ev;
    struct fact f;
    int got = trace_start(&r, path, e) < 0 ? -1 : 1;
    while (got > 0 && (got = trace_next(&r, &ev, e)) > 0)
        if (ledger_hear(&l, &ev, &f, e) < 0 || tell(s, &ev, &f, e) < 0) {
            err_ctx(e, "%s:%zu", r.path, r.line);
            got = -1;
        }
    ledger_free(&l);
    trace_end(&r);
    return got;
}

/* The beginning, as much of it as can be seen. */
static void choose_window(struct story *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += s->v[i].last - s->v[i].first;
    s->until = s->n > 0 ? fmin(s->ended, SHOWN * sum / (double)s->n) : s->ended;
}

static void put_story(struct script *script, const struct story *s)
{
    script_table(script, 3);
    for (unsigned fate = 0; fate < BAR_FATES; fate++) {
        for (size_t i = 0; i < s->n; i++)
            if (s->v[i].fate == fate && s->v[i].first < s->until) {
                double v[] = { s->v[i].worker, s->v[i].first, fmin(s->v[i].last, s->until) };
                script_row(script, v, 3);
            }
        script_block(script, 3);
    }
    for (size_t i = 0; i < s->updates && s->update[i] <= s->until; i++) {
        double v[] = { s->update[i], NAN, NAN };
        script_row(script, v, 3);
    }
    script_block(script, 3);
    for (size_t i = 0; i < s->stales; i++) {
        double v[] = { (double)i, 100 * s->stale[i] / s->used, s->stale[i] };
        script_row(script, v, 3);
    }
    script_table_end(script);
}

static int draw(const struct story *s, const struct plotting *p, bool timeline, bool staleness, struct err *e)
{
    struct script script = { 0 };
    int status = script_open(&script, p->kind, e);
    if (status == 0) {
        script_real(&script, "timeline", timeline);
        script_real(&script, "staleness", staleness);
        script_real(&script, "workers", s->workers);
        script_real(&script, "ended", s->ended);
        script_real(&script, "until", s->until);
        script_real(&script, "updates", (double)s->updates);
        script_real(&script, "stalest", s->stales > 0 ? (double)s->stales - 1 : 0);
        put_story(&script, s);
        status = script_draw(&script, "trace", p->out, e);
    }
    script_close(&script);
    return status;
}

int plot_trace(const struct plotting *p, struct err *e)
{
    struct story s = { 0 };
    bool timeline = p->show == NULL || strcmp(p->show, "timeline") == 0;
    bool staleness = p->show == NULL || strcmp(p->show, "staleness") == 0;
    int status = hear(&s, p->v[0].path, e);
    choose_window(&s);
    if (status == 0 && s.n == 0)
        status = err_set(e, ERR_DATA, "%s: no minibatch was completed or broken off in it: there is nothing to draw",
                         p->v[0].name);
    staleness = staleness && (s.used > 0 || p->show);
    if (status == 0 && staleness && s.used == 0)
        status = err_set(e, ERR_DATA, "%s: no gradient in it was used: there is no staleness", p->v[0].name);
    if (status == 0 && strcmp(p->kind, "dumb") == 0)
        story_print(&s, timeline, staleness);
    else if (status == 0)
        status = draw(&s, p, timeline, staleness, e);
    free(s.v);
    free(s.update);
    free(s.stale);
    return status;
}
