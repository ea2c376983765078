/* The policy state machine under random arrivals, joins and departures, against a book kept apart.
 *
 * The book knows nothing of the machine's insides: it follows the acts, and holds every promise of
 * policy.h and every identity of THEORY 1.1 against them after each event. */
#include "policy/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "lib/tap.h"

enum { P_MAX = 8, SEQ_MAX = 4096, EVENTS = 1500 };
enum status { UNBORN, LIVE, VOID, BUFFERED, USED, CANCELLED, LATE, DROPPED };

struct place {
    bool here, done, holds;
    enum status seq[SEQ_MAX];
    uint64_t next, budget; /* of this worker */
    uint64_t live;         /* seq of live work, or SEQ_MAX */
    uint64_t version;      /* last granted */
    uint64_t fresh;        /* seq of the newest grant: its bytes may still be unsent */
    uint64_t steps;        /* pushed since it came, and what it started with */
    int64_t moved; /* sum over joins of the version last granted less the version at joining */
};

struct book {
    const char *spec;
    struct policy *policy;
    struct knobs knobs;
    struct policy_run run;
    uint64_t k, version;
    double now;
    struct place place[P_MAX];
    struct {
        uint64_t worker, seq, staleness;
    } buffer[SEQ_MAX];
    size_t buffered;
    int64_t staleness, combined; /* over all updates */
    const char *wrong;           /* the first promise that was broken, or NULL */
    struct rng rng;
};

#define HOLD(b, cond, sentence) ((cond) ? (void)0 : wrong(b, sentence))
static void wrong(struct book *b, const char *sentence)
{
    if (b->wrong == NULL)
        b->wrong = sentence;
}

static unsigned draw(struct book *b, unsigned below)
{
    return rng_u32(&b->rng) % below;
}

/* Workers who can still add to the next update, as COMMANDS (Ends, Losses) has it. */
static uint64_t reach(const struct book *b)
{
    uint64_t n = 0;
    for (uint64_t w = 0; w < b->run.workers; w++) {
        const struct place *p = &b->place[w];
        n += p->holds || (b->run.loss == POLICY_SHRINK ? p->here : !p->done);
    }
    return n;
}

static uint64_t needed(const struct book *b)
{
    uint64_t r = reach(b);
    if (r == 0)
        return 1;
    return b->knobs.distinct && r < b->k ? r : b->k;
}

/* The last update, all done, or, where a loss is as leaving, one done and the others lost. */
static bool over(const struct book *b)
{
    uint64_t here = 0, done = 0;
    for (uint64_t w = 0; w < b->run.workers; w++) {
        here += b->place[w].here;
        done += b->place[w].done;
    }
    bool last = b->run.updates != 0 && b->version >= b->run.updates;
    bool left = done == b->run.workers || (b->run.loss == POLICY_SHRINK && done > 0);
    return last || (here == 0 && b->buffered == 0 && left);
}

/* Fewest steps of those here, `worker` not counted. */
static uint64_t slowest(const struct book *b, uint64_t worker)
{
    uint64_t least = UINT64_MAX;
    for (uint64_t w = 0; w < b->run.workers; w++)
        if (w != worker && b->place[w].here && b->place[w].steps < least)
            least = b->place[w].steps;
    return least;
}

static bool too_far_ahead(const struct book *b, uint64_t worker)
{
    uint64_t least = slowest(b, worker), steps = b->place[worker].steps;
    return b->knobs.ahead != NO_BOUND && steps > least && steps - least > b->knobs.ahead;
}

static void grant(struct book *b, const struct act *a)
{
    struct place *p = &b->place[a->worker];
    HOLD(b, a->version == b->version, "a grant is of the newest version");
    p->moved += (int64_t)(a->version - p->version);
    p->version = a->version;
}

static void on_take(struct book *b, const struct act *a)
{
    struct place *p = &b->place[a->worker];
    HOLD(b, p->live == a->seq && p->seq[a->seq] == LIVE, "only live work is taken");
    HOLD(b, a->staleness == b->version - p->version, "staleness is updates since the read");
    HOLD(b, !b->knobs.voids || a->staleness == 0, "nobody is stale where updates void the rest");
    for (size_t i = 0; b->knobs.distinct && i < b->buffered; i++)
        HOLD(b, b->buffer[i].worker != a->worker, "the K gradients come from different workers");
    HOLD(b, a->staleness < b->knobs.age, "nothing too old is used");
    p->steps++;
    p->seq[a->seq] = BUFFERED;
    p->live = SEQ_MAX;
    p->holds = b->knobs.distinct;
    b->buffer[b->buffered].worker = a->worker;
    b->buffer[b->buffered].seq = a->seq;
    b->buffer[b->buffered++].staleness = a->staleness;
}

static void on_step(struct book *b, const struct act *a)
{
    HOLD(b, a->count == b->buffered, "the divisor is the number combined");
    HOLD(b, b->buffered >= needed(b), "an update waits until enough are combined");
    HOLD(b, b->buffered <= b->k, "an update fires as soon as enough are combined");
    HOLD(b, a->version == ++b->version, "an update is one version");
    for (size_t i = 0; i < b->buffered; i++) {
        b->place[b->buffer[i].worker].seq[b->buffer[i].seq] = USED;
        b->place[b->buffer[i].worker].holds = false;
        b->staleness += (int64_t)b->buffer[i].staleness;
    }
    b->combined += (int64_t)b->buffered;
    b->buffered = 0;
}

static void on_void(struct book *b, const struct act *a)
{
    HOLD(b, b->place[a->worker].version < b->version,
         "nobody starts on parameters that are void at once");
    struct place *p = &b->place[a->worker];
    HOLD(b, b->knobs.voids || b->version - b->place[a->worker].version == b->knobs.age,
         "only some policies void work, or what has come of age");
    HOLD(b, p->live == a->seq, "what is void was live");
    p->seq[a->seq] = VOID;
    p->live = SEQ_MAX;
}

static void on_send(struct book *b, const struct act *a)
{
    struct place *p = &b->place[a->worker];
    grant(b, a);
    HOLD(b, p->here && p->live == SEQ_MAX, "only an idle worker starts a minibatch");
    HOLD(b, !too_far_ahead(b, a->worker), "nobody starts too many steps ahead of the slowest");
    HOLD(b, a->seq == p->next && a->seq < p->budget, "minibatches are numbered without a gap");
    HOLD(b, b->run.updates == 0 || b->version < b->run.updates,
         "nothing starts after the last update");
    p->seq[a->seq] = LIVE;
    p->live = p->fresh = a->seq;
    p->next = a->seq + 1;
}

static void on_credit(struct book *b, const struct act *a)
{
    bool last = b->run.updates != 0 && b->version >= b->run.updates;
    HOLD(b, last || !b->place[a->worker].here, "only an absent worker is granted on paper");
    HOLD(b, b->place[a->worker].live == SEQ_MAX, "nobody is granted on paper while it works");
    grant(b, a);
}

static void on_cancel(struct book *b, const struct act *a)
{
    struct place *p = &b->place[a->worker];
    HOLD(b, p->seq[a->seq] == VOID || p->seq[a->seq] == LIVE, "what is cancelled was outstanding");
    p->seq[a->seq] = CANCELLED;
    if (p->live == a->seq)
        p->live = SEQ_MAX;
}

static void on_late(struct book *b, const struct act *a)
{
    HOLD(b, b->place[a->worker].seq[a->seq] == VOID, "what is late was void");
    b->place[a->worker].seq[a->seq] = LATE;
}

static void on_drop(struct book *b, const struct act *a)
{
    struct place *p = &b->place[a->worker];
    HOLD(b, b->knobs.drop && a->staleness >= b->knobs.age, "only what is too old is dropped");
    HOLD(b, a->staleness == b->version - p->version, "staleness is updates since the read");
    p->seq[a->seq] = DROPPED;
    p->steps++;
    p->live = SEQ_MAX;
}

static void on_set(struct book *b, const struct act *a)
{
    HOLD(b, b->knobs.adapt != NULL && b->buffered == 0, "K changes right after an update");
    HOLD(b, a->count >= 1 && (!b->knobs.distinct || a->count <= b->run.workers), "K is clamped");
    b->k = a->count;
}

static void on_leave(struct book *b, const struct act *a)
{
    struct place *p = &b->place[a->worker];
    grant(b, a);
    HOLD(b, p->next >= p->budget, "a worker leaves when its minibatches are made");
    p->here = false;
    p->done = true;
}

static void (*const follow[])(struct book *, const struct act *) = {
    [ACT_TAKE] = on_take,     [ACT_LATE] = on_late,   [ACT_STEP] = on_step,
    [ACT_VOID] = on_void,     [ACT_SEND] = on_send,   [ACT_CREDIT] = on_credit,
    [ACT_CANCEL] = on_cancel, [ACT_LEAVE] = on_leave, [ACT_DROP] = on_drop,
    [ACT_SET] = on_set,
};

/* THEORY 1.1, read just after an update with its grants. */
static void identities(struct book *b)
{
    int64_t moved = 0;
    for (uint64_t w = 0; w < b->run.workers; w++)
        moved += b->place[w].moved;
    if (b->knobs.ahead != NO_BOUND || b->knobs.age != NO_BOUND)
        return; /* waiting and starting again move a worker without a gradient */
    if (!b->knobs.voids && b->knobs.distinct)
        HOLD(b, b->staleness == moved - b->combined, "K-async: staleness is sum v - sum n");
    if (!b->knobs.voids && !b->knobs.distinct)
        HOLD(b, b->staleness == moved - (int64_t)b->version,
             "K-batch-async: staleness is sum v - J");
    if (b->knobs.voids)
        HOLD(b, b->staleness == 0, "sync: no staleness");
}

static void follow_all(struct book *b, const struct acts *a)
{
    uint64_t before = b->version;
    for (size_t i = 0; i < a->n; i++)
        follow[a->v[i].kind](b, &a->v[i]);
    if (b->version != before)
        identities(b);
    HOLD(b, b->buffered == 0 || b->buffered < needed(b), "a buffer that suffices fires at once");
    HOLD(b, b->version == policy_version(b->policy), "the version is the number of updates");
    HOLD(b, policy_ended(b->policy) == over(b),
         "a run ends with its last update, or when all are done or lost for good");
    for (uint64_t w = 0; w < b->run.workers && !policy_ended(b->policy); w++) {
        struct place *p = &b->place[w];
        bool idle = p->here && p->live == SEQ_MAX && !p->holds;
        HOLD(b, !idle || too_far_ahead(b, w), "nobody is idle without a reason");
        HOLD(b, p->live == SEQ_MAX || b->knobs.drop || b->version - p->version < b->knobs.age,
             "work that has come of age is stopped");
    }
}

/* Some of the grants that replaced a voided one find it still unsent. */
static void maybe_unsent(struct book *b, const struct acts *a, struct acts *other)
{
    struct err e = { 0 };
    for (size_t i = 0; i < a->n; i++) {
        struct place *p = &b->place[a->v[i].worker];
        if (a->v[i].kind != ACT_VOID || p->seq[a->v[i].seq] != VOID || draw(b, 4) != 0)
            continue;
        policy_unsent(b->policy, 0, a->v[i].worker, other, &e);
        HOLD(b, other->n == 1 && other->v[0].seq == a->v[i].seq,
             "the grant replaced is the one cancelled");
        follow_all(b, other);
    }
}

static bool oldest_void(const struct place *p, uint64_t *seq)
{
    for (*seq = 0; *seq < p->next; ++*seq)
        if (p->seq[*seq] == VOID)
            return true;
    return false;
}

static void join(struct book *b, uint64_t w, struct acts *a)
{
    struct err e = { 0 };
    struct place *p = &b->place[w];
    if (b->knobs.ahead != NO_BOUND && slowest(b, w) != UINT64_MAX)
        p->steps = slowest(b, w);
    p->here = true;
    p->done = false;
    if (!p->holds)
        p->version = b->version; /* joins at this version: nothing has moved yet */
    HOLD(b, policy_join(b->policy, 0, w, p->budget, a, &e) == 0, "an empty place can be joined");
    HOLD(b, policy_granted(b->policy, w) == (a->n > 0 ? b->version : p->version),
         "joined at that version");
    follow_all(b, a);
}

static void lose(struct book *b, uint64_t w, struct acts *a)
{
    struct err e = { 0 };
    struct place *p = &b->place[w];
    HOLD(b, policy_gone(b->policy, 0, w, a, &e) == 0, "a worker can be lost");
    p->here = false;
    p->done = p->next >= p->budget;
    follow_all(b, a);
    uint64_t seq;
    HOLD(b, !oldest_void(p, &seq) && p->live == SEQ_MAX, "nothing of a lost worker is outstanding");
}

/* What a worker with something outstanding does next: it answers in the order of its minibatches. */
static void answer(struct book *b, uint64_t w, struct acts *a)
{
    struct err e = { 0 };
    uint64_t seq;
    int r;
    if (oldest_void(&b->place[w], &seq))
        r = draw(b, 3) == 0 ? policy_push(b->policy, b->now, w, seq, 1, a, &e)
                            : policy_cancelled(b->policy, 0, w, seq, a, &e);
    else if (b->place[w].live != SEQ_MAX)
        r = policy_push(b->policy, b->now, w, b->place[w].live, rng_uniform(&b->rng), a, &e);
    else
        return;
    HOLD(b, r == 0, "an answer in order is accepted");
    follow_all(b, a);
}

/* A worker that answers what nobody asked changes nothing. */
static void misbehave(struct book *b, uint64_t w, struct acts *a)
{
    struct err e = { 0 };
    struct place *p = &b->place[w];
    HOLD(b, policy_push(b->policy, 0, w, p->next, 1, a, &e) < 0 && e.kind == ERR_PEER,
         "a gradient that was never asked for is refused");
    if (p->live == SEQ_MAX)
        return;
    HOLD(b, policy_cancelled(b->policy, 0, w, p->live, a, &e) < 0, "live work cannot be cancelled");
    uint64_t seq;
    if (oldest_void(p, &seq))
        HOLD(b, policy_push(b->policy, 0, w, p->live, 1, a, &e) < 0, "answers come in order");
}

/* The loss of all rows comes at any time, and may be no number. */
static void hear_loss(struct book *b, struct acts *a)
{
    static const double odd[] = { NAN, INFINITY, -1, 0 };
    struct err e = { 0 };
    double loss = draw(b, 3) == 0 ? odd[draw(b, 4)] : rng_uniform(&b->rng);
    HOLD(b, policy_loss(b->policy, b->now, loss, a, &e) == 0, "any loss can be told");
    follow_all(b, a);
}

static void event(struct book *b, struct acts *a, struct acts *other)
{
    uint64_t w = draw(b, (unsigned)b->run.workers);
    struct place *p = &b->place[w];
    b->now += 0.1;
    if (b->knobs.adapt != NULL && b->knobs.adapt->full && draw(b, 5) == 0) {
        hear_loss(b, a);
        return;
    }
    if (!p->here) {
        if (!p->done && draw(b, 8) == 0)
            join(b, w, a);
        else
            return;
    } else if (draw(b, 60) == 0) {
        lose(b, w, a);
    } else if (draw(b, 40) == 0) {
        misbehave(b, w, a);
        return;
    } else {
        answer(b, w, a);
    }
    maybe_unsent(b, a, other);
}

/* Each seq is in exactly one of the five, and the machine counts the same. */
static void accounts(struct book *b)
{
    for (uint64_t w = 0; w < b->run.workers; w++) {
        struct place *p = &b->place[w];
        uint64_t n[DROPPED + 1] = { 0 };
        for (uint64_t s = 0; s < p->next; s++)
            n[p->seq[s]]++;
        struct account c = policy_account(b->policy, w);
        HOLD(b, n[UNBORN] == 0 && c.started == p->next, "started are those that were sent");
        HOLD(b,
             c.used == n[USED] && c.cancelled == n[CANCELLED] && c.late == n[LATE] &&
                 c.dropped == n[DROPPED],
             "the account is true");
        HOLD(b, c.unfinished == n[LIVE] + n[VOID] + n[BUFFERED],
             "unfinished are outstanding or buffered");
    }
}

/* AdaSync's rule is not the machine's: any answer will do. */
static uint64_t choose(void *self, const struct adapt *ad, uint64_t workers, double ratio)
{
    struct book *b = self;
    HOLD(b, ratio > 0 && ratio <= 1 && ad->k0 == 2, "the loss is told as a part of the first");
    return draw(b, 2 * (unsigned)workers);
}

static const char *run(const char *text, uint64_t workers, enum policy_loss loss, uint64_t seed)
{
    struct err e = { 0 };
    struct spec spec = { 0 };
    struct book *b = calloc(1, sizeof *b);
    struct acts a = { 0 }, other = { 0 };
    rng_open(&b->rng, seed, RNG_DELAY, workers, loss);
    if (b == NULL || spec_parse(&spec, &policy_table, text, &e) < 0)
        return e.text[0] ? strdup(e.text) : "no memory";
    b->run = (struct policy_run){ workers, draw(b, 3) == 0 ? 1 + draw(b, 60) : 0, loss, choose, b, false };
    b->policy = policy_open(&spec, &b->run, &e);
    b->knobs = *policy_knobs(b->policy);
    b->k = b->knobs.combine;
    bool passes = draw(b, 2) == 0;
    for (uint64_t w = 0; w < workers; w++) {
        b->place[w].live = SEQ_MAX;
        b->place[w].budget = passes ? 1 + draw(b, 40) : SEQ_MAX;
        join(b, w, &a);
    }
    for (int i = 0; i < EVENTS && !policy_ended(b->policy) && b->wrong == NULL; i++)
        event(b, &a, &other);
    accounts(b);
    const char *wrong = b->wrong;
    policy_close(b->policy);
    acts_free(&a);
    acts_free(&other);
    spec_free(&spec);
    free(b);
    return wrong;
}

static void random_runs(const char *spec, uint64_t workers)
{
    const char *broken = NULL;
    uint64_t seed = 0;
    for (; seed < 60 && broken == NULL; seed++)
        broken = run(spec, workers, seed % 2 ? POLICY_KEEP : POLICY_SHRINK, seed);
    ok(broken == NULL, "%s with %llu workers keeps every promise in 60 random runs%s%s", spec,
       (unsigned long long)workers, broken ? "; broken: " : "", broken ? broken : "");
}

static uint64_t as_many(void *self, const struct adapt *ad, uint64_t workers, double ratio)
{
    (void)self, (void)ad, (void)workers;
    return (uint64_t)(1 / ratio);
}

/* K from the next version on: at once when nothing waits for it, else with the update. */
static void full_loss(void)
{
    struct err e = { 0 };
    struct spec spec = { 0 };
    struct acts a = { 0 };
    struct policy_run run = { .workers = 8, .choose = as_many };
    spec_parse(&spec, &policy_table, "adasync:k-batch-async,K0=2,every=1,floor=0.5,Kmax=6,loss=full", &e);
    struct policy *p = policy_open(&spec, &run, &e);
    for (uint64_t w = 0; w < 3; w++)
        policy_join(p, 0, w, UINT64_MAX, &a, &e);
    ok(policy_wants_loss(p, 0) && !policy_wants_loss(p, 0.9) && policy_wants_loss(p, 1.7) &&
           !policy_wants_loss(p, 1.99) && policy_wants_loss(p, 2),
       "the loss of all rows is wanted at the start and once in every interval");
    policy_loss(p, 0, 12.5, &a, &e);
    ok(a.n == 0 && policy_combine(p) == 2, "the first loss leaves K as it is");
    policy_loss(p, 1, 4.5, &a, &e);
    ok(a.n == 1 && a.v[0].kind == ACT_SET && a.v[0].count == 3 && a.v[0].loss == 4.5 &&
           policy_combine(p) == 3,
       "K follows the loss, its floor taken off, at once while nothing is combined");
    policy_push(p, 1, 0, 0, 9, &a, &e);
    policy_loss(p, 1, 2.5, &a, &e);
    ok(a.n == 0 && policy_combine(p) == 3, "not while an update is being combined");
    policy_push(p, 1, 1, 0, 9, &a, &e);
    policy_push(p, 1, 2, 0, 9, &a, &e);
    ok(a.v[a.n - 1].kind == ACT_SET && a.v[a.n - 1].count == 6 && policy_version(p) == 1,
       "but with that update");
    policy_loss(p, 1, 0.5, &a, &e);
    ok(policy_combine(p) == 6, "a loss at its floor asks for the most");
    policy_loss(p, 1, 4.5, &a, &e);
    ok(policy_combine(p) == 3, "a loss that rises lowers K");
    policy_loss(p, 1, 1e9, &a, &e);
    ok(policy_combine(p) == 1, "one above the first asks for no less than the rule's least");
    const double odd[] = { NAN, INFINITY, -INFINITY };
    policy_set(p, 1, 4, NAN, &a, &e);
    for (size_t i = 0; i < 3; i++)
        policy_loss(p, 1, odd[i], &a, &e);
    ok(policy_combine(p) == 4, "a loss that is no number changes nothing");
    policy_close(p);
    run.choose = NULL;
    p = policy_open(&spec, &run, &e);
    ok(!policy_wants_loss(p, 0) && policy_set(p, 1, 5, 0.1, &a, &e) == 0 && a.n == 1 &&
           policy_combine(p) == 5,
       "where nobody chooses, K is what it is told");
    policy_close(p);
    acts_free(&a);
    spec_free(&spec);
}

static bool is(const struct acts *a, size_t i, enum act_kind kind, uint64_t worker, uint64_t number)
{
    const struct act *x = &a->v[i];
    return i < a->n && x->kind == kind && x->worker == worker &&
           (kind == ACT_CANCEL || kind == ACT_SEND ? x->seq : x->version) == number;
}

/* A state that a damaged file could hold. */
static bool refused(struct policy *p, const struct policy_mark *good, const uint64_t *budget,
                    struct policy_place place, struct acts *a)
{
    struct err e = { 0 };
    struct policy_mark bad = *good;
    struct policy_place all[] = { good->place[0], good->place[1], place };
    bad.place = all;
    return policy_resume(p, &bad, budget, 0, a, &e) < 0 && e.kind == ERR_DATA;
}

/* Workers 0 and 1 make an update of k-async:2 while 2 is on its first minibatch; then all start again from there,
 * whatever came after. */
static void resumed(void)
{
    struct err e = { 0 };
    struct spec spec = { 0 };
    struct acts a = { 0 };
    struct policy_run of3 = { .workers = 3, .marks = true };
    const uint64_t budget[] = { UINT64_MAX, UINT64_MAX, UINT64_MAX };
    spec_parse(&spec, &policy_table, "k-async:2", &e);
    struct policy *p = policy_open(&spec, &of3, &e);
    for (uint64_t w = 0; w < 3; w++)
        policy_join(p, 0, w, UINT64_MAX, &a, &e);
    policy_push(p, 1, 1, 0, 0, &a, &e);
    policy_push(p, 2, 0, 0, 0, &a, &e);
    policy_push(p, 3, 0, 1, 0, &a, &e); /* waits for the next update: it is not in the mark */
    const struct policy_mark *m = policy_mark(p, 1);
    ok(m->version == 1 && m->contributors == 2 && m->place[0].next == 1 && m->place[2].working,
       "the mark is the state before the update's grants");
    struct policy_place late = m->place[2], ahead = m->place[2];
    late.next = late.seq;
    ahead.version = 2;
    ok(refused(p, m, budget, late, &a) && refused(p, m, budget, ahead, &a),
       "a mark that cannot be is refused");
    ok(policy_resume(p, m, budget, 0, &a, &e) == 0 && a.n == 3 && is(&a, 0, ACT_CANCEL, 2, 0) &&
           is(&a, 1, ACT_CREDIT, 0, 1) && is(&a, 2, ACT_CREDIT, 1, 1),
       "what was in hand is cancelled, and who made the update is credited it");
    bool same = true;
    for (uint64_t w = 0; w < 3; w++)
        same &= !policy_here(p, w) && policy_join(p, 4, w, UINT64_MAX, &a, &e) == 0 && a.n == 1 &&
                is(&a, 0, ACT_SEND, w, 1);
    ok(same, "the numbering goes on: no minibatch is made twice or left out");
    struct account busy = policy_account(p, 0), broken = policy_account(p, 2);
    ok(busy.started == 2 && busy.used == 1 && busy.unfinished == 1 && broken.cancelled == 1 &&
           broken.unfinished == 1,
       "the accounts are those of the update");
    policy_close(p);
    acts_free(&a);
    spec_free(&spec);
}

static void refusals(void)
{
    struct err e = { 0 };
    struct spec spec = { 0 };
    struct policy_run of8 = { .workers = 8 };
    ok(spec_parse(&spec, &policy_table, "k-sync:9", &e) == 0 &&
           policy_open(&spec, &of8, &e) == NULL && e.kind == ERR_USAGE && strstr(e.text, "9") &&
           strstr(e.text, "8"),
       "more distinct workers than there are is refused, both numbers named: %s", e.text);
    struct policy *p = NULL;
    ok(spec_parse(&spec, &policy_table, "k-batch-async:9", &e) == 0 &&
           (p = policy_open(&spec, &of8, &e)) != NULL,
       "a batch form may combine more than there are workers");
    policy_close(p);
    ok(spec_parse(&spec, &policy_table, "sync:4", &e) < 0 && e.kind == ERR_USAGE,
       "sync takes no K");
    spec_free(&spec);
}

int main(void)
{
    static const char *const specs[] = { "sync",
                                         "k-sync:1",
                                         "k-sync:2",
                                         "k-batch-sync:1",
                                         "k-batch-sync:2",
                                         "k-batch-sync:11",
                                         "async",
                                         "k-async:1",
                                         "k-async:2",
                                         "k-batch-async:1",
                                         "k-batch-async:3",
                                         "k-batch-async:11",
                                         "ssp:0",
                                         "ssp:1",
                                         "ssp:5",
                                         "bounded:1",
                                         "bounded:3",
                                         "bounded:3,mode=drop",
                                         "adasync:k-sync,K0=2,every=1",
                                         "adasync:k-batch-sync,K0=2,every=1",
                                         "adasync:k-async,K0=2,every=1",
                                         "adasync:k-batch-async,K0=2,every=1",
                                         "adasync:k-sync,K0=2,every=1,loss=full",
                                         "adasync:k-batch-sync,K0=2,every=1,loss=full",
                                         "adasync:k-async,K0=2,every=1,loss=full",
                                         "adasync:k-batch-async,K0=2,every=1,loss=full" };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        random_runs(specs[i], 2);
        random_runs(specs[i], 8);
    }
    full_loss();
    resumed();
    refusals();
    return tap_done();
}
