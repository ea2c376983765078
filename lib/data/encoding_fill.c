/* What missing values become where that is asked of the rows: their means, their most frequent categories. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "data/encoding.h"

/* Of the rows that were met. */
struct tally {
    size_t rows, n;  /* n features as they were read, or columns where these are hashed */
    double *sum;     /* (n) of the values that are there */
    size_t *missing; /* (n) values that are not */
    size_t **votes;  /* (n) of columns of categories (categories): how often each is there */
};

static void free_tally(struct tally *t)
{
    for (size_t j = 0; t->votes != NULL && j < t->n; j++)
        free(t->votes[j]);
    free(t->votes);
    free(t->sum);
    free(t->missing);
    free(t);
}

static int open_votes(const struct encoding *c, struct tally *t, struct err *e)
{
    for (size_t j = 0; c->bits == 0 && j < c->n && j < t->n; j++) {
        if (c->v[j].kind != COLUMN_CATEGORY)
            continue;
        t->votes[j] = mem_new(c->v[j].categories.n, sizeof **t->votes, e);
        if (t->votes[j] == NULL)
            return -1;
    }
    return 0;
}

int encoding_begin(struct encoding *c, size_t features, struct err *e)
{
    if (c->missing.rule != MISSING_MEAN || c->known)
        return 0;
    struct tally *t = mem_new(1, sizeof *t, e);
    if (t == NULL)
        return -1;
    t->n = c->bits > 0 ? c->n : features;
    t->sum = mem_new(t->n, sizeof *t->sum, e);
    t->missing = mem_new(t->n, sizeof *t->missing, e);
    t->votes = mem_new(t->n, sizeof *t->votes, e);
    if (t->sum == NULL || t->missing == NULL || t->votes == NULL || open_votes(c, t, e) < 0) {
        free_tally(t);
        return -1;
    }
    c->tally = t;
    return 0;
}

static void meet_value(struct tally *t, size_t j, float v)
{
    if (isnan(v))
        t->missing[j]++;
    else if (t->votes[j] == NULL)
        t->sum[j] += (double)v;
    else if (v >= 0)
        t->votes[j][(size_t)v]++;
}

static void meet_hashed(const struct encoding *c, const struct rows *r, size_t i)
{
    for (size_t j = 0; j < c->n; j++) {
        int32_t index = encoding_hash(c, j, NULL, 0);
        int64_t low = r->indptr[i], high = r->indptr[i + 1];
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (r->indices[middle] < index)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < r->indptr[i + 1] && r->indices[low] == index)
            meet_value(c->tally, j, r->values[low]);
    }
}

void encoding_meet(struct encoding *c, const struct rows *r, size_t i)
{
    struct tally *t = c->tally;
    if (t == NULL)
        return;
    t->rows++;
    if (c->bits > 0)
        meet_hashed(c, r, i);
    else if (r->kind == ROWS_SPARSE)
        for (int64_t k = r->indptr[i]; k < r->indptr[i + 1]; k++)
            meet_value(t, (size_t)r->indices[k], r->values[k]);
    else if (r->kind == ROWS_DENSE)
        for (size_t j = 0; j < r->features; j++)
            meet_value(t, j, r->x[i * r->features + j]);
}

/* Of equal ones the first in the order of bytes; below 0: none was there. */
static double most_frequent(const struct column *column, const size_t *votes)
{
    size_t best = 0, n = column->categories.n;
    for (size_t i = 1; i < n; i++)
        if (votes[i] > votes[best] || (votes[i] == votes[best] && column->place[i] < column->place[best]))
            best = i;
    return n > 0 && votes[best] > 0 ? (double)best : -1;
}

static double mean_of(const struct tally *t, size_t j)
{
    size_t there = t->rows - t->missing[j];
    return there > 0 ? t->sum[j] / (double)there : 0;
}

/* Features that have no value in any row have no mean. */
static void tell_empty(const struct encoding *c, const struct log *log)
{
    const struct tally *t = c->tally;
    size_t empty = 0, first = 0;
    for (size_t j = t->n; j-- > 0;)
        if (t->rows > 0 && t->missing[j] == t->rows) {
            empty++;
            first = j;
        }
    if (empty == 0)
        return;
    const char *name = first < c->n ? c->v[first].name : NULL;
    char number[24];
    snprintf(number, sizeof number, "%zu", first + 1);
    log_note(log, "column '%.40s' has no value in any row, so no mean: it tells nothing; %zu such column%s",
             name ? name : number, empty, empty == 1 ? "" : "s");
}

int encoding_end(struct encoding *c, const struct log *log, struct err *e)
{
    struct tally *t = c->tally;
    if (t == NULL)
        return 0;
    tell_empty(c, log);
    c->fill = mem_new(t->n, sizeof *c->fill, e);
    c->n_fill = t->n;
    for (size_t j = 0; c->fill != NULL && j < t->n; j++)
        c->fill[j] = t->votes[j] ? most_frequent(&c->v[j], t->votes[j]) : mean_of(t, j);
    c->known = c->fill != NULL;
    free_tally(t);
    c->tally = NULL;
    return c->fill == NULL ? -1 : 0;
}
