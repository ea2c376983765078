/* What differs between workers: values for RANGEs of them, and one for all others. */
#include "base/ranges.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { SHOWN = 20 };

static int add(struct ranges *r, uint64_t first, uint64_t last, size_t of, struct err *e)
{
    if (mem_grow(&r->v, &r->cap, r->n + 1, sizeof *r->v, e) < 0)
        return -1;
    r->v[r->n++] = (struct range){ first, last, of };
    return 0;
}

static int bad_range(const char *text, size_t n, struct err *e)
{
    return err_set(e, ERR_USAGE, "'%.*s': workers are N or N-M, with commas between",
                   (int)(n < SHOWN ? n : SHOWN), text);
}

/* N or N-M, n bytes of text. */
static int read_range(struct ranges *r, const char *text, size_t n, size_t of, struct err *e)
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
    if (last >= r->workers)
        return err_set(e, ERR_USAGE,
                       "worker %" PRIu64 " with %" PRIu64 " workers (0 to %" PRIu64 ")", last,
                       r->workers, r->workers - 1);
    return add(r, ends[0], last, of, e);
}

static int read_ranges(struct ranges *r, const char *text, size_t n, size_t of, struct err *e)
{
    for (const char *end = text + n; text <= end;) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        size_t one = comma ? (size_t)(comma - text) : (size_t)(end - text);
        if (read_range(r, text, one, of, e) < 0)
            return -1;
        text += one + 1;
    }
    return 0;
}

const char *ranges_take(struct ranges *r, const char *text, size_t of, struct err *e)
{
    size_t n = strspn(text, "0123456789,-");
    if (n > 0 && text[n] == '=')
        return read_ranges(r, text, n, of, e) < 0 ? NULL : text + n + 1;
    if (r->rest == RANGES_NONE) {
        r->rest = of;
        return text;
    }
    err_set(e, ERR_USAGE, "a second %s for all: say whose by RANGE (0-3=%s)", r->noun, text);
    return NULL;
}

static int by_first(const void *a, const void *b)
{
    const struct range *p = a, *q = b;
    return (p->first > q->first) - (p->first < q->first);
}

static int fill_gap(struct ranges *r, uint64_t first, uint64_t last, struct err *e)
{
    if (r->rest == RANGES_NONE)
        return err_set(e, ERR_USAGE,
                       "worker %" PRIu64 " has no %s: give one without RANGE too", first, r->noun);
    return add(r, first, last, r->rest, e);
}

int ranges_settle(struct ranges *r, struct err *e)
{
    size_t named = r->n;
    uint64_t next = 0;
    if (named > 0)
        qsort(r->v, named, sizeof *r->v, by_first);
    for (size_t i = 0; i < named; i++) {
        uint64_t first = r->v[i].first, last = r->v[i].last;
        if (first < next)
            return err_set(e, ERR_USAGE, "worker %" PRIu64 " is named twice", first);
        if (first > next && fill_gap(r, next, first - 1, e) < 0)
            return -1;
        next = last + 1;
    }
    if (next < r->workers && fill_gap(r, next, r->workers - 1, e) < 0)
        return -1;
    qsort(r->v, r->n, sizeof *r->v, by_first);
    return 0;
}

void ranges_free(struct ranges *r)
{
    free(r->v);
    *r = (struct ranges){ .rest = RANGES_NONE };
}
