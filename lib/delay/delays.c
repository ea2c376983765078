/* Who has which law of delays. */
#include "delay/delays.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { SHOWN = 20 };

/* Ranges as they are read; law SIZE_MAX waits for the SPEC without a range. */
struct reading {
    struct delays *d;
    size_t cap;
    size_t rest; /* law of the SPEC without a range; SIZE_MAX: none */
};

static bool has_range(const char *text)
{
    return *text >= '0' && *text <= '9';
}

static int add(struct reading *r, uint64_t first, uint64_t last, size_t law, struct err *e)
{
    struct delays *d = r->d;
    if (mem_grow(&d->range, &r->cap, d->ranges + 1, sizeof *d->range, e) < 0)
        return -1;
    d->range[d->ranges++] = (struct delays_range){ first, last, law };
    return 0;
}

static int bad_range(const char *text, size_t n, struct err *e)
{
    return err_set(e, ERR_USAGE, "'%.*s': workers are N or N-M, with commas between",
                   (int)(n < SHOWN ? n : SHOWN), text);
}

/* N or N-M, n bytes of text. */
static int read_range(struct reading *r, const char *text, size_t n, size_t law, struct err *e)
{
    char number[2][SHOWN + 1] = { "", "" };
    const char *dash = memchr(text, '-', n);
    size_t lengths[2] = { dash ? (size_t)(dash - text) : n, 0 };
    const char *starts[2] = { text, text };
    if (dash) {
        starts[1] = dash + 1;
        lengths[1] = n - lengths[0] - 1;
    }
    uint64_t ends[2] = { 0, 0 };
    for (int i = 0; i <= (dash != NULL); i++) {
        if (lengths[i] == 0 || lengths[i] > SHOWN || strspn(starts[i], "0123456789") < lengths[i])
            return bad_range(text, n, e);
        memcpy(number[i], starts[i], lengths[i]);
        if (num_whole(number[i], &ends[i], e) < 0)
            return -1;
    }
    uint64_t last = dash ? ends[1] : ends[0];
    if (ends[0] > last)
        return err_set(e, ERR_USAGE, "workers %" PRIu64 "-%" PRIu64 ": the first is the greater",
                       ends[0], last);
    if (last >= r->d->workers)
        return err_set(e, ERR_USAGE,
                       "worker %" PRIu64 " with %" PRIu64 " workers (0 to %" PRIu64 ")", last,
                       r->d->workers, r->d->workers - 1);
    return add(r, ends[0], last, law, e);
}

static int read_ranges(struct reading *r, const char *text, size_t n, size_t law, struct err *e)
{
    for (const char *end = text + n; text <= end;) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        size_t one = comma ? (size_t)(comma - text) : (size_t)(end - text);
        if (read_range(r, text, one, law, e) < 0)
            return -1;
        text += one + 1;
    }
    return 0;
}

static int read_text(struct reading *r, const char *text, struct err *e)
{
    size_t law = r->d->laws++, n = strcspn(text, "=");
    if (!has_range(text)) {
        if (r->rest != SIZE_MAX)
            return err_set(e, ERR_USAGE, "a second SPEC for all: write RANGE=SPEC (0-3=%s)", text);
        r->rest = law;
        return spec_parse(&r->d->law[law].law, &delay_table, text, e);
    }
    if (text[n] == '\0')
        return bad_range(text, n, e);
    if (read_ranges(r, text, n, law, e) < 0)
        return -1;
    return spec_parse(&r->d->law[law].law, &delay_table, text + n + 1, e);
}

static int by_first(const void *a, const void *b)
{
    const struct delays_range *p = a, *q = b;
    return (p->first > q->first) - (p->first < q->first);
}

static int fill_gap(struct reading *r, uint64_t first, uint64_t last, struct err *e)
{
    if (r->rest == SIZE_MAX)
        return err_set(e, ERR_USAGE,
                       "worker %" PRIu64 " has no delay: give a SPEC without RANGE too", first);
    return add(r, first, last, r->rest, e);
}

/* Gives the workers between the ranges their law, and counts. */
static int settle(struct reading *r, struct err *e)
{
    struct delays *d = r->d;
    size_t named = d->ranges;
    uint64_t next = 0;
    if (named > 0)
        qsort(d->range, named, sizeof *d->range, by_first);
    for (size_t i = 0; i < named; i++) {
        uint64_t first = d->range[i].first, last = d->range[i].last;
        if (first < next)
            return err_set(e, ERR_USAGE, "worker %" PRIu64 " is named twice", first);
        if (first > next && fill_gap(r, next, first - 1, e) < 0)
            return -1;
        next = last + 1;
    }
    if (next < d->workers && fill_gap(r, next, d->workers - 1, e) < 0)
        return -1;
    qsort(d->range, d->ranges, sizeof *d->range, by_first);
    for (size_t i = 0; i < d->ranges; i++)
        d->law[d->range[i].law].workers += d->range[i].last - d->range[i].first + 1;
    return 0;
}

static void drop_unused(struct delays *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->laws; i++) {
        for (size_t k = 0; k < d->ranges; k++)
            d->range[k].law = d->range[k].law == i ? kept : d->range[k].law;
        if (d->law[i].workers > 0)
            d->law[kept++] = d->law[i];
        else
            spec_free(&d->law[i].law);
    }
    d->laws = kept;
}

int delays_open(struct delays *d, const struct text_list *texts, uint64_t workers, struct err *e)
{
    struct reading r = { .d = d, .rest = SIZE_MAX };
    *d = (struct delays){ .workers = workers };
    d->law = mem_new(texts->n + 1, sizeof *d->law, e);
    int status = d->law ? 0 : -1;
    for (size_t i = 0; i < texts->n && status == 0; i++)
        if (read_text(&r, texts->v[i], e) < 0)
            status = err_ctx(e, "delay '%s'", texts->v[i]);
    if (status == 0 && texts->n == 0)
        r.rest = d->laws++; /* none: no delay */
    if (status == 0 && settle(&r, e) == 0) {
        drop_unused(d);
        return 0;
    }
    delays_close(d);
    return -1;
}

void delays_close(struct delays *d)
{
    for (size_t i = 0; i < d->laws; i++)
        spec_free(&d->law[i].law);
    free(d->law);
    free(d->range);
    *d = (struct delays){ 0 };
}

const struct spec *delays_of(const struct delays *d, uint64_t worker)
{
    size_t low = 0, high = d->ranges;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (d->range[middle].first <= worker)
            low = middle;
        else
            high = middle;
    }
    return &d->law[d->range[low].law].law;
}
