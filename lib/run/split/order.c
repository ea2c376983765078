/* Which rows go into which shard: the table of --split. */
#include "run/split/order.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/special.h"
#include "run/split/split.h"

/* The rows of the shards, where they are dealt out by class. */
struct list {
    uint64_t *row;   /* (rows) */
    uint16_t *class; /* of each row of the data */
    size_t classes;
};

/* A row of the table. */
struct split_ops {
    struct plug plug;
    bool shuffled; /* rows, and those held out, are drawn; else they keep the order of the data */
    /* Where each shard begins, and l->row in the order of the shards. NULL: rows stay, and sizes differ by one at
     * most. */
    int (*deal)(struct order *o, struct list *l, const void *conf, uint64_t seed, struct err *e);
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

static size_t class_of(const struct list *l, size_t i)
{
    return l->class[l->row[i]];
}

/* Brings the rows into the order of their classes; equals keep theirs. first (classes + 1): where each begins. */
static int sort_by_class(const struct order *o, struct list *l, size_t *first, struct err *e)
{
    size_t n = l->classes;
    uint64_t *sorted = mem_new(o->rows, sizeof *sorted, e);
    if (sorted == NULL)
        return -1;
    for (size_t i = 0; i < o->rows; i++)
        first[class_of(l, i) + 1]++;
    for (size_t c = 0; c < n; c++)
        first[c + 1] += first[c];
    for (size_t i = 0; i < o->rows; i++)
        sorted[first[class_of(l, i)]++] = l->row[i];
    for (size_t c = n; c > 0; c--)
        first[c] = first[c - 1];
    first[0] = 0;
    free(l->row);
    l->row = sorted;
    return 0;
}

/* The logarithm of a draw from a gamma law. Where alpha is small, most are far below the least double: a draw of
 * alpha + 1 times U^(1 / alpha) has the same law (Stuart 1962). */
static double log_gamma_draw(double alpha, struct rng *r)
{
    const double small = 0.1, least = 1e-300;
    double u = rng_uniform(r);
    if (alpha >= small)
        return log(gamma_quantile(alpha, u, 1 - u));
    return log(gamma_quantile(alpha + 1, u, 1 - u)) + log(rng_uniform(r)) / fmax(alpha, least);
}

/* Shares that add up to 1, from a symmetric Dirichlet law: gamma draws over their sum. */
static void draw_shares(double *share, size_t n, double alpha, struct rng *r)
{
    double sum = 0, largest = -INFINITY;
    for (size_t k = 0; k < n; k++) {
        share[k] = log_gamma_draw(alpha, r);
        largest = fmax(largest, share[k]);
    }
    for (size_t k = 0; k < n; k++)
        sum += share[k] = exp(share[k] - largest);
    for (size_t k = 0; k < n; k++)
        share[k] /= sum;
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
static int collect(struct order *o, struct list *l, size_t *shard, struct err *e)
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
            dealt[size[shard[i]]++] = l->row[i];
        free(l->row);
        l->row = dealt;
        dealt = NULL;
    }
    free(size);
    free(dealt);
    return status;
}

/* Hsu, Qi, Brown (2019): the rows of each class go to the shards in shares of their own. */
static int deal_dirichlet(struct order *o, struct list *l, const void *conf, uint64_t seed, struct err *e)
{
    const struct dirichlet *c = conf;
    size_t *first = mem_new(l->classes + 1, sizeof *first, e);
    size_t *shard = mem_new(o->rows, sizeof *shard, e);
    double *share = mem_new(o->shards, sizeof *share, e);
    int status = first == NULL || shard == NULL || share == NULL ? -1 : sort_by_class(o, l, first, e);
    for (size_t k = 0; status == 0 && k < l->classes; k++) {
        struct rng r;
        rng_open(&r, seed, RNG_SHUFFLE, 1, k);
        draw_shares(share, o->shards, c->alpha, &r);
        deal_class(shard + first[k], first[k + 1] - first[k], share, o->shards);
    }
    if (status == 0)
        status = collect(o, l, shard, e);
    free(share);
    free(shard);
    free(first);
    return status;
}

static int deal_by_label(struct order *o, struct list *l, const void *conf, uint64_t seed, struct err *e)
{
    (void)conf, (void)seed;
    size_t *first = mem_new(l->classes + 1, sizeof *first, e);
    int status = first == NULL ? -1 : sort_by_class(o, l, first, e);
    free(first);
    deal_evenly(o);
    return status;
}

static const struct split_ops shuffle = {
    .plug = { .name = "shuffle", .help = "rows in an order drawn by the seed" },
    .shuffled = true,
};

static const struct split_ops sequential = {
    .plug = { .name = "sequential", .help = "rows in the order of the data" },
};

static const struct split_ops label = {
    .plug = { .name = "label", .help = "rows class by class: each shard has as few classes as can be" },
    .shuffled = true,
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
    .deal = deal_dirichlet,
};

static const struct plug *const rows[] = { &shuffle.plug, &sequential.plug, &label.plug,
                                           &dirichlet.plug, NULL };
const struct table split_table = { "split", rows };

/* Row number i of the order that all rows are in before they are dealt out. */
static uint64_t row_at(const struct order *o, uint64_t i)
{
    return o->shuffled ? perm_at(&o->drawn, i) : i;
}

static int read_classes(struct list *l, struct stock *s, struct err *e)
{
    struct rows r;
    uint64_t first;
    for (size_t i = 0; i < s->blocks; i++) {
        if (stock_block(s, i, &r, &first, e) < 0)
            return -1;
        for (size_t k = 0; k < r.n; k++)
            l->class[first + k] = (uint16_t)stock_class(s, r.labels[k]);
    }
    return 0;
}

/* o->place from l->row and those that are held out. */
static int note_places(struct order *o, const struct list *l, struct err *e)
{
    o->place = mem_new(o->rows + o->held, sizeof *o->place, e);
    if (o->place == NULL)
        return -1;
    for (size_t i = 0; i < o->rows; i++)
        o->place[l->row[i]] = o->held + i;
    for (size_t i = 0; i < o->held; i++)
        o->place[row_at(o, o->rows + i)] = i;
    return 0;
}

static int deal_list(struct order *o, const struct spec *how, struct stock *s, uint64_t seed, struct err *e)
{
    const struct split_ops *ops = (const struct split_ops *)how->plug;
    struct list l = { .classes = s->classes.n };
    if (s->classes.targets)
        return err_set(e, ERR_USAGE, "%s: --split %s: labels are targets, not classes", s->name,
                       ops->plug.name);
    l.row = mem_new(o->rows, sizeof *l.row, e);
    l.class = mem_new(s->rows, sizeof *l.class, e);
    int status = l.row == NULL || l.class == NULL ? -1 : read_classes(&l, s, e);
    for (size_t i = 0; status == 0 && i < o->rows; i++)
        l.row[i] = row_at(o, i);
    if (status == 0)
        status = ops->deal(o, &l, how->conf, seed, e);
    free(l.class);
    if (status == 0)
        status = note_places(o, &l, e);
    free(l.row);
    return status;
}

int order_find(struct order *o, const struct spec *how, struct stock *s, size_t shards, size_t held,
               uint64_t seed, struct err *e)
{
    const struct split_ops *ops = (const struct split_ops *)how->plug;
    *o = (struct order){ .shards = shards, .rows = s->rows - held, .held = held, .shuffled = ops->shuffled };
    perm_open(&o->drawn, s->rows, seed, RNG_SHUFFLE, 0, 0);
    o->begin = mem_new(shards + 1, sizeof *o->begin, e);
    if (o->begin == NULL || (ops->deal != NULL && deal_list(o, how, s, seed, e) < 0))
        return -1;
    if (ops->deal == NULL)
        deal_evenly(o);
    for (size_t k = 0; k <= shards; k++)
        o->begin[k] += held;
    return 0;
}

uint64_t order_place(const struct order *o, uint64_t row)
{
    if (o->place != NULL)
        return o->place[row];
    uint64_t i = o->shuffled ? perm_find(&o->drawn, row) : row;
    return i < o->rows ? o->held + i : i - o->rows;
}

void order_free(struct order *o)
{
    free(o->place);
    free(o->begin);
    *o = (struct order){ 0 };
}
