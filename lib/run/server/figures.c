/* The figures of the run as a page of text: a table of families, each with its samples. */
#include "run/server/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "run/server/save.h"

/* One page in the making. */
struct page {
    const struct figures *f;
    const struct server *s;
    bool openmetrics;
    struct evbuffer *to;
};

/* A counter's name is without its _total, that of an info without _info. */
struct family {
    const char *name, *type, *help;
    void (*print)(const struct page *p, const struct family *f);
    double (*value)(const struct page *p);                    /* of print_one */
    uint64_t (*of)(const struct server *s, uint64_t worker); /* of print_workers */
};

static uint64_t first_above(size_t bucket)
{
    return bucket == 0 ? 0 : UINT64_C(1) << (bucket - 1); /* the bucket's largest staleness */
}

void figures_take(struct figures *f, uint64_t staleness)
{
    size_t i = 0;
    while (i < STALENESS_BUCKETS && staleness > first_above(i))
        i++;
    f->bucket[i]++;
    f->staleness += (double)staleness;
}

static const char *ending(const struct family *f)
{
    return f->type[0] == 'c' ? "_total" : f->type[0] == 'i' ? "_info" : "";
}

static void real(const struct page *p, double v)
{
    char text[NUM_TEXT];
    if (isfinite(v))
        evbuffer_add_printf(p->to, "%s\n", num_print_double(text, v));
    else
        evbuffer_add_printf(p->to, "%s\n", isnan(v) ? "NaN" : v > 0 ? "+Inf" : "-Inf");
}

static void print_one(const struct page *p, const struct family *f)
{
    evbuffer_add_printf(p->to, "%s%s ", f->name, ending(f));
    real(p, f->value(p));
}

static void print_workers(const struct page *p, const struct family *f)
{
    for (uint64_t r = 0; r < p->s->workers; r++)
        evbuffer_add_printf(p->to, "%s%s{worker=\"%" PRIu64 "\"} %" PRIu64 "\n", f->name, ending(f), r,
                            f->of(p->s, r));
}

/* Buckets hold what is below them, too. */
static void print_staleness(const struct page *p, const struct family *f)
{
    uint64_t n = 0;
    for (size_t i = 0; i < STALENESS_BUCKETS; i++) {
        n += p->f->bucket[i];
        evbuffer_add_printf(p->to, "%s_bucket{le=\"%" PRIu64 ".0\"} %" PRIu64 "\n", f->name, first_above(i), n);
    }
    n += p->f->bucket[STALENESS_BUCKETS];
    evbuffer_add_printf(p->to, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum ", f->name, n, f->name);
    real(p, p->f->staleness);
    evbuffer_add_printf(p->to, "%s_count %" PRIu64 "\n", f->name, n);
}

static void label(const struct page *p, const char *name, const char *text)
{
    evbuffer_add_printf(p->to, "%s=\"", name);
    for (text = text == NULL ? "" : text; *text != '\0'; text++)
        if (*text == '\n')
            evbuffer_add(p->to, "\\n", 2);
        else
            evbuffer_add_printf(p->to, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    evbuffer_add(p->to, "\"", 1);
}

static void print_info(const struct page *p, const struct family *f)
{
    const struct server_conf *c = p->s->conf;
    const struct {
        const char *name, *text;
    } labels[] = {
        { "version", PACKAGE_VERSION },    { "run", c->run },
        { "model", c->train.model.text },  { "policy", c->train.policy.text },
        { "step", c->train.step.text },    { "optimizer", c->train.optimizer.text },
    };
    evbuffer_add_printf(p->to, "%s%s{", f->name, ending(f));
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        if (i > 0)
            evbuffer_add(p->to, ",", 1);
        label(p, labels[i].name, labels[i].text);
    }
    evbuffer_add_printf(p->to, "} 1\n");
}

/* Before the start there is no aggregate. */

static double updates(const struct page *p)
{
    return p->s->aggregate == NULL ? 0 : (double)aggregate_iteration(p->s->aggregate);
}

static double per_second(const struct page *p)
{
    return p->f->per_second;
}

static double loss(const struct page *p)
{
    return p->s->aggregate == NULL ? NAN : aggregate_loss(p->s->aggregate);
}

static double combine(const struct page *p)
{
    return p->s->aggregate == NULL ? NAN : (double)policy_combine(aggregate_policy(p->s->aggregate));
}

static double seconds(const struct page *p)
{
    static const double none = 0;
    return p->s->phase == PHASE_GATHER ? none : p->s->phase == PHASE_RUN ? server_now(p->s) : p->s->seconds;
}

static double training(const struct page *p)
{
    return p->s->phase == PHASE_RUN;
}

static double workers(const struct page *p)
{
    return (double)p->s->workers;
}

static double connected(const struct page *p)
{
    return (double)roster_ready(p->s);
}

static double spares(const struct page *p)
{
    double n = 0;
    for (const struct peer *i = p->s->peers; i != NULL; i = i->next)
        n += i->state == PEER_SPARE;
    return n;
}

static double refused(const struct page *p)
{
    return (double)p->s->strangers;
}

static double received(const struct page *p)
{
    uint64_t n = p->s->past.received;
    for (const struct peer *i = p->s->peers; i != NULL; i = i->next)
        n += conn_received(i->conn);
    return (double)n;
}

static double sent(const struct page *p)
{
    uint64_t n = p->s->past.sent;
    for (const struct peer *i = p->s->peers; i != NULL; i = i->next)
        n += conn_sent(i->conn);
    return (double)n;
}

static double skipped(const struct page *p)
{
    return p->s->stream == NULL ? 0 : (double)stream_skipped(p->s->stream);
}

static double checkpoint(const struct page *p)
{
    uint64_t at = save_done(p->s);
    return at == NO_PLACE ? NAN : (double)at;
}

static struct account account_of(const struct server *s, uint64_t r)
{
    static const struct account none = { 0 };
    return s->aggregate == NULL ? none : policy_account(aggregate_policy(s->aggregate), r);
}

static uint64_t worker_connected(const struct server *s, uint64_t r)
{
    return s->places[r].peer != NULL;
}

static uint64_t worker_started(const struct server *s, uint64_t r)
{
    return account_of(s, r).started;
}

static uint64_t worker_made(const struct server *s, uint64_t r)
{
    struct account a = account_of(s, r);
    return a.used + a.late + a.dropped;
}

static uint64_t worker_used(const struct server *s, uint64_t r)
{
    return account_of(s, r).used;
}

static uint64_t worker_cancelled(const struct server *s, uint64_t r)
{
    return account_of(s, r).cancelled;
}

static uint64_t worker_late(const struct server *s, uint64_t r)
{
    return account_of(s, r).late;
}

static uint64_t worker_dropped(const struct server *s, uint64_t r)
{
    return account_of(s, r).dropped;
}

static uint64_t worker_received(const struct server *s, uint64_t r)
{
    const struct place *at = &s->places[r];
    return at->past.received + (at->peer == NULL ? 0 : conn_received(at->peer->conn));
}

static uint64_t worker_sent(const struct server *s, uint64_t r)
{
    const struct place *at = &s->places[r];
    return at->past.sent + (at->peer == NULL ? 0 : conn_sent(at->peer->conn));
}

#define ONE(name, type, value, help) { name, type, help, print_one, value, NULL }
#define EACH(name, type, of, help) { name, type, help, print_workers, NULL, of }
static const struct family families[] = {
    { "dsgd_run", "info", "What is trained, and by which rules.", print_info, NULL, NULL },
    ONE("dsgd_training", "gauge", training, "1 from the first parameters to the end of the run."),
    ONE("dsgd_run_time_seconds", "gauge", seconds, "Time of the run, as the trace tells it."),
    ONE("dsgd_updates", "counter", updates, "Updates of the parameters."),
    ONE("dsgd_updates_per_second", "gauge", per_second, "Updates a second, over the last ten seconds."),
    ONE("dsgd_loss", "gauge", loss, "Mean loss of the gradients of the last update."),
    ONE("dsgd_combine", "gauge", combine, "Gradients that the next update combines (K)."),
    { "dsgd_staleness", "histogram", "Updates between the parameters of a gradient that was taken and it.",
      print_staleness, NULL, NULL },
    ONE("dsgd_workers", "gauge", workers, "Places for workers (P)."),
    ONE("dsgd_workers_connected", "gauge", connected, "Places that a worker has."),
    ONE("dsgd_workers_spare", "gauge", spares, "Workers that wait for a place."),
    ONE("dsgd_connections_refused", "counter", refused, "Connections that were closed for what they said."),
    ONE("dsgd_received_bytes", "counter", received, "Bytes that came from workers."),
    ONE("dsgd_sent_bytes", "counter", sent, "Bytes that went to workers."),
    ONE("dsgd_snapshots_skipped", "counter", skipped, "Snapshots that a slow reader never got."),
    ONE("dsgd_checkpoint_updates", "gauge", checkpoint, "Updates that the checkpoint holds."),
    EACH("dsgd_worker_connected", "gauge", worker_connected, "Whether a worker is there."),
    EACH("dsgd_worker_started", "counter", worker_started, "Minibatches that were given out."),
    EACH("dsgd_worker_made", "counter", worker_made, "Gradients that came: used, late or dropped."),
    EACH("dsgd_worker_used", "counter", worker_used, "Gradients that updates used."),
    EACH("dsgd_worker_cancelled", "counter", worker_cancelled, "Minibatches that were broken off."),
    EACH("dsgd_worker_late", "counter", worker_late, "Gradients that came though they were void."),
    EACH("dsgd_worker_dropped", "counter", worker_dropped, "Gradients that were too old."),
    EACH("dsgd_worker_received_bytes", "counter", worker_received, "Bytes that came from the worker."),
    EACH("dsgd_worker_sent_bytes", "counter", worker_sent, "Bytes that went to the worker."),
};

/* OpenMetrics names the family, the older format what stands in its lines. */
static void print_family(const struct page *p, const struct family *f)
{
    const char *end = p->openmetrics ? "" : ending(f);
    const char *type = f->type[0] == 'i' && !p->openmetrics ? "gauge" : f->type;
    evbuffer_add_printf(p->to, "# HELP %s%s %s\n# TYPE %s%s %s\n", f->name, end, f->help, f->name, end, type);
    f->print(p, f);
}

int figures_print(const struct figures *f, const struct server *s, bool openmetrics, struct evbuffer *to)
{
    struct page p = { f, s, openmetrics, to };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        print_family(&p, &families[i]);
    if (openmetrics)
        evbuffer_add_printf(to, "# EOF\n");
    return evbuffer_get_length(to) > 0 ? 0 : -1;
}
