/* An external shuffle: piles of rows that are too large become smaller ones, until each can be ordered in memory. */
#include "run/split/deal.h"

#include <stdlib.h>

#include "base/mem.h"
#include "data/pile.h"

enum { PILES_MOST = 1024, BUFFER_LEAST = 1 << 16 /* bytes of rows that a pile collects before it writes */ };

/* Rows of the places first .. end - 1, all of them. */
struct range {
    struct pile *pile;
    uint64_t first, end;
};

/* Block i of a pile, with the places of its rows. */
static int block(const struct deal *d, struct pile *p, size_t i, struct err *e)
{
    struct rows r;
    uint64_t first;
    if (p != &d->stock->pile)
        return pile_block(p, i, e);
    if (stock_block(d->stock, i, &r, &first, e) < 0 ||
        mem_grow(&p->place, &p->place_cap, r.n, sizeof *p->place, e) < 0)
        return -1;
    for (size_t k = 0; k < r.n; k++)
        p->place[k] = order_place(d->order, first + k);
    return 0;
}

/* All rows are in memory. */
static int hand_out(const struct deal *d, const struct range *g, struct err *e)
{
    size_t n = (size_t)(g->end - g->first);
    struct rows r = builder_rows(&g->pile->rows);
    size_t *at = mem_new(n, sizeof *at, e);
    int status = at == NULL ? -1 : 0;
    for (size_t i = 0; status == 0 && i < n; i++)
        at[g->pile->place[i] - g->first] = i;
    for (size_t i = 0; status == 0 && i < n; i++)
        status = d->put(d->self, &r, at[i], g->first + i, e);
    free(at);
    return status;
}

/* How many smaller ones: each fits easily, and the buffers of all together take no more than is allowed. */
static size_t piles_for(const struct deal *d, const struct range *g)
{
    uint64_t n = pile_bytes(g->pile) / (d->memory / 4 * 3 + 1) + 2, most = d->memory / BUFFER_LEAST;
    most = most < 2 ? 2 : most < PILES_MOST ? most : PILES_MOST;
    n = n < most ? n : most;
    return (size_t)(n < g->end - g->first ? n : g->end - g->first);
}

/* Deals the rows of a pile out to n of `per` places each, which then take no memory; the pile is freed. */
static int divide(const struct deal *d, const struct range *g, struct pile *to, size_t n, uint64_t per, struct err *e)
{
    size_t blocks = 0;
    int status = pile_close(g->pile, &blocks, e);
    for (size_t i = 0; i < blocks && status == 0; i++) {
        status = block(d, g->pile, i, e);
        struct rows r = builder_rows(&g->pile->rows);
        for (size_t k = 0; k < r.n && status == 0; k++) {
            uint64_t place = g->pile->place[k];
            status = pile_put(&to[(place - g->first) / per], &r, k, place, e);
        }
    }
    if (g->pile == &d->stock->pile)
        temp_close(&d->stock->temp);
    pile_free(g->pile);
    for (size_t i = 0; i < n && status == 0; i++)
        status = pile_rest(&to[i], e);
    return status;
}

static int deal_range(const struct deal *d, const struct range *g, struct err *e);

static int deal_divided(const struct deal *d, const struct range *g, struct err *e)
{
    size_t n = piles_for(d, g);
    uint64_t per = (g->end - g->first + n - 1) / n;
    struct temp temp = { .folder = d->folder };
    const struct builder like = g->pile->rows;
    struct pile *to = mem_new(n, sizeof *to, e);
    int status = to == NULL ? -1 : 0;
    for (size_t i = 0; i < n && status == 0; i++) {
        to[i] = (struct pile){ .temp = &temp, .limit = d->memory / n };
        to[i].rows = (struct builder){ .kind = like.kind, .scale = like.scale, .features = d->stock->features };
    }
    if (status == 0)
        status = divide(d, g, to, n, per, e);
    for (size_t i = 0; i < n && status == 0; i++) {
        uint64_t first = g->first + i * per;
        if (first < g->end)
            status = deal_range(d, &(struct range){ &to[i], first, g->end < first + per ? g->end : first + per }, e);
    }
    for (size_t i = 0; to != NULL && i < n; i++)
        pile_free(&to[i]);
    free(to);
    temp_close(&temp);
    return status;
}

static int deal_range(const struct deal *d, const struct range *g, struct err *e)
{
    bool all = g->pile == &d->stock->pile;
    if (all ? pile_whole(g->pile) : pile_bytes(g->pile) <= d->memory || g->end - g->first == 1) {
        int status = all ? block(d, g->pile, 0, e) : pile_load(g->pile, e);
        if (status == 0)
            status = hand_out(d, g, e);
        pile_free(g->pile);
        return status;
    }
    return deal_divided(d, g, e);
}

int deal_all(const struct deal *d, struct err *e)
{
    return deal_range(d, &(struct range){ &d->stock->pile, 0, d->order->rows + d->order->held }, e);
}
