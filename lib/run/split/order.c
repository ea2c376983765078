/* Which rows go into which shard: the table of --split. */
#include "run/split/order.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/special.h"
#include "run/split/split.h"

/* A row of the table. */
struct split_ops {
    struct plug plug;
    bool shuffled; /* rows, and those held out, are drawn; else they keep the order of the data */
    bool by_class; /* labels have to be classes */
    /* Where each shard begins; o->row and o->rows are filled. NULL: sizes differ by one at most. */
    int (*deal)(struct order *o, const void *conf, const struct dataset *d, uint64_t seed, struct err *e);
};

struct dirichlet {
    double alpha;
};

static void deal_evenly(struct order *o)
{
    size_t size = o->rows / o->shards, larger = o->rows % o->shards;
    for (size_t k = 0; k <= o->shards; k++)
        o->begin[k] = k * size + (k < larger ? k : larger);
}

/* Brings the rows into the order of their classes; equals keep theirs. first (classes + 1): where each begins. */
static int sort_by_class(struct order *o, const struct dataset *d, size_t *first, struct err *e)
{
    size_t n = d->classes.n;
    uint64_t *sorted = mem_new(o->rows, sizeof *sorted, e);
    if (sorted == NULL)
        return -1;
    for (size_t i = 0; i < o->rows; i++)
        first[dataset_class(d, o->row[i]) + 1]++;
    for (size_t c = 0; c < n; c++)
        first[c + 1] += first[c];
    for (size_t i = 0; i < o->rows; i++)
        sorted[first[dataset_class(d, o->row[i])]++] = o->row[i];
    for (size_t c = n; c > 0; c--)
        first[c] = first[c - 1];
    first[0] = 0;
    for (size_t i = 0; i < o->rows; i++)
        o->row[i] = sorted[i];
    free(sorted);
    return 0;
}

/* Shares that add up to 1, from a symmetric Dirichlet law: gamma draws over their sum. */
static void draw_shares(double *share, size_t n, double alpha, struct rng *r)
{
    double sum = 0;
    size_t largest = 0;
    for (size_t k = 0; k < n; k++) {
        double u = rng_uniform(r);
        share[k] = gamma_quantile(alpha, u, 1 - u);
        sum += share[k];
        if (share[k] > share[largest])
            largest = k;
    }
    for (size_t k = 0; k < n; k++)
        share[k] = sum > 0 ? share[k] / sum : k == largest;
}

/* shard (rows): for each row of the class, in the proportions of a draw. */
static void deal_class(size_t *shard, size_t n, const double *share, size_t shards)
{
    double part = 0;
    size_t at = 0;
    for (size_t k = 0; k < shards; k++) {
        part += share[k];
        size_t end = k + 1 == shards ? n : (size_t)fmin(rint(part * (double)n), (double)n);
        while (at < end)
            shard[at++] = k;
    }
}

/* A shard without a row takes one of the largest. */
static void fill_empty(size_t *shard, size_t rows, size_t *size, size_t shards)
{
    for (size_t k = 0; k < shards; k++) {
        size_t largest = 0, i = 0;
        if (size[k] > 0)
            continue;
        for (size_t j = 1; j < shards; j++)
            if (size[j] > size[largest])
                largest = j;
        while (i < rows && shard[i] != largest)
            i++;
        shard[i] = k;
        size[k]++;
        size[largest]--;
    }
}

/* Brings the rows together shard by shard. */
static int collect(struct order *o, size_t *shard, struct err *e)
{
    uint64_t *dealt = mem_new(o->rows, sizeof *dealt, e);
    size_t *size = mem_new(o->shards, sizeof *size, e);
    int status = dealt == NULL || size == NULL ? -1 : 0;
    if (status == 0) {
        for (size_t i = 0; i < o->rows; i++)
            size[shard[i]]++;
        fill_empty(shard, o->rows, size, o->shards);
        for (size_t k = 0; k < o->shards; k++)
            o->begin[k + 1] = o->begin[k] + size[k];
        for (size_t k = 0; k < o->shards; k++)
            size[k] = (size_t)o->begin[k];
        for (size_t i = 0; i < o->rows; i++)
            dealt[size[shard[i]]++] = o->row[i];
        for (size_t i = 0; i < o->rows; i++)
            o->row[i] = dealt[i];
    }
    free(size);
    free(dealt);
    return status;
}

/* Hsu, Qi, Brown (2019): the rows of each class go to the shards in shares of their own. */
static int deal_dirichlet(struct order *o, const void *conf, const struct dataset *d, uint64_t seed, struct err *e)
{
    const struct dirichlet *c = conf;
    size_t *first = mem_new(d->classes.n + 1, sizeof *first, e);
    size_t *shard = mem_new(o->rows, sizeof *shard, e);
    double *share = mem_new(o->shards, sizeof *share, e);
    int status = first == NULL || shard == NULL || share == NULL ? -1 : sort_by_class(o, d, first, e);
    for (size_t k = 0; status == 0 && k < d->classes.n; k++) {
        struct rng r;
        rng_open(&r, seed, RNG_SHUFFLE, 1, k);
        draw_shares(share, o->shards, c->alpha, &r);
        deal_class(shard + first[k], first[k + 1] - first[k], share, o->shards);
    }
    if (status == 0)
        status = collect(o, shard, e);
    free(share);
    free(shard);
    free(first);
    return status;
}

static int deal_by_label(struct order *o, const void *conf, const struct dataset *d, uint64_t seed, struct err *e)
{
    (void)conf, (void)seed;
    size_t *first = mem_new(d->classes.n + 1, sizeof *first, e);
    int status = first == NULL ? -1 : sort_by_class(o, d, first, e);
    free(first);
    deal_evenly(o);
    return status;
}

static int deal_all(struct order *o, const void *conf, const struct dataset *d, uint64_t seed, struct err *e)
{
    (void)conf, (void)d, (void)seed, (void)e;
    deal_evenly(o);
    return 0;
}

static const struct split_ops shuffle = {
    .plug = { .name = "shuffle", .help = "rows in an order drawn by the seed" },
    .shuffled = true,
    .deal = deal_all,
};

static const struct split_ops sequential = {
    .plug = { .name = "sequential", .help = "rows in the order of the data" },
    .deal = deal_all,
};

static const struct split_ops label = {
    .plug = { .name = "label", .help = "rows class by class: each shard has as few classes as can be" },
    .shuffled = true,
    .by_class = true,
    .deal = deal_by_label,
};

static const struct param dirichlet_params[] = {
    { "alpha", set_positive, offsetof(struct dirichlet, alpha), NULL,
      "small: shards differ in their classes; large: they are alike" },
    { 0 },
};

static const struct split_ops dirichlet = {
    .plug = { .name = "dirichlet",
              .help = "each class in shares drawn from a Dirichlet law",
              .params = dirichlet_params,
              .conf = sizeof(struct dirichlet) },
    .shuffled = true,
    .by_class = true,
    .deal = deal_dirichlet,
};

static const struct plug *const rows[] = { &shuffle.plug, &sequential.plug, &label.plug,
                                           &dirichlet.plug, NULL };
const struct table split_table = { "split", rows };

static void fill(struct order *o, bool shuffled, uint64_t seed)
{
    struct perm drawn;
    size_t n = o->rows + o->held;
    perm_open(&drawn, n, seed, RNG_SHUFFLE, 0, 0);
    for (size_t i = 0; i < n; i++)
        o->row[i] = shuffled ? perm_at(&drawn, i) : i;
}

int order_find(struct order *o, const struct spec *how, const struct dataset *d, size_t shards, size_t held,
               uint64_t seed, struct err *e)
{
    const struct split_ops *ops = (const struct split_ops *)how->plug;
    if (ops->by_class && d->classes.targets)
        return err_set(e, ERR_USAGE, "%s: --split %s: labels are targets, not classes", d->name,
                       ops->plug.name);
    *o = (struct order){ .shards = shards, .rows = d->rows - held, .held = held };
    o->row = mem_new(d->rows, sizeof *o->row, e);
    o->begin = mem_new(shards + 1, sizeof *o->begin, e);
    if (o->row == NULL || o->begin == NULL)
        return -1;
    fill(o, ops->shuffled, seed);
    return ops->deal(o, how->conf, d, seed, e);
}

void order_free(struct order *o)
{
    free(o->row);
    free(o->begin);
    *o = (struct order){ 0 };
}
