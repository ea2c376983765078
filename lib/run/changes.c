/* What of the parameters the last updates changed. */
#include "run/changes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { WORTH = 2 /* an index and a value take as much as so many values */ };

static size_t end_of(const struct changes *c, size_t update)
{
    return update == 0 ? 0 : c->end[update - 1];
}

static void forget(struct changes *c, uint64_t version)
{
    c->known = version;
    c->n = c->gone = 0;
    c->from = c->to = 0;
}

/* The oldest updates go, until n more indices are no more than are worth keeping. */
static void make_way(struct changes *c, size_t n)
{
    const size_t most = c->size / WORTH;
    while (c->gone < c->n && end_of(c, c->n) - end_of(c, c->gone) + n > most) {
        c->gone++;
        c->known++;
    }
    const size_t free_n = end_of(c, c->gone), kept = end_of(c, c->n) - free_n;
    if (c->gone < c->n - c->gone || free_n < kept)
        return; /* not worth to be moved */
    memmove(c->index, c->index + free_n, kept * sizeof *c->index);
    for (size_t i = c->gone; i < c->n; i++)
        c->end[i - c->gone] = c->end[i] - free_n;
    c->n -= c->gone;
    c->gone = 0;
}

int changes_note(struct changes *c, uint64_t version, const uint32_t *index, size_t n, struct err *e)
{
    if (index == NULL || n > c->size / WORTH) {
        forget(c, version);
        return 0;
    }
    if (version != c->known + (c->n - c->gone) + 1)
        forget(c, version - 1);
    if (c->marks.bits == NULL && marks_open(&c->marks, c->size, e) < 0)
        return -1;
    if (c->n > 0)
        make_way(c, n);
    const size_t at = end_of(c, c->n);
    if (mem_grow(&c->end, &c->end_cap, c->n + 1, sizeof *c->end, e) < 0 ||
        mem_grow(&c->index, &c->index_cap, at + n, sizeof *c->index, e) < 0)
        return -1;
    if (n > 0)
        memcpy(c->index + at, index, n * sizeof *index);
    c->end[c->n++] = at + n;
    return 0;
}

const uint32_t *changes_since(struct changes *c, uint64_t version, size_t *n)
{
    const uint64_t now = c->known + (c->n - c->gone);
    struct err ignored = { 0 };
    if (version < c->known || version >= now)
        return NULL;
    const size_t first = c->gone + (size_t)(version - c->known), at = end_of(c, first), end = end_of(c, c->n);
    if (first + 1 == c->n) { /* of one update: as it was told */
        *n = end - at;
        return *n < c->size / WORTH ? c->index + at : NULL;
    }
    if (c->to != now || c->from != version) {
        if (mem_grow(&c->list, &c->list_cap, end - at + 1, sizeof *c->list, &ignored) < 0)
            return NULL;
        for (size_t i = at; i < end; i++)
            marks_set(&c->marks, c->index[i]);
        c->listed = marks_take(&c->marks, c->list);
        c->from = version;
        c->to = now;
    }
    *n = c->listed;
    return c->listed < c->size / WORTH ? c->list : NULL;
}

void changes_close(struct changes *c)
{
    free(c->list);
    marks_close(&c->marks);
    free(c->index);
    free(c->end);
    *c = (struct changes){ 0 };
}
