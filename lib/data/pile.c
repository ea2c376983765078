/* Rows in memory and in a temporary file. */
#include "data/pile.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { ORDERED = 2 * sizeof(uint64_t) /* bytes a row, of its place and of what lies there */, COLUMNS = 7 };

/* What of a pile's rows lies in the file, array by array. */
struct column {
    void *data;
    size_t bytes;
};

/* The arrays of the x->n rows from number `first` on, whose entries begin at `entry`. */
static size_t columns_of(const struct pile *p, const struct extent *x, size_t first, size_t entry,
                         struct column c[COLUMNS])
{
    const struct builder *b = &p->rows;
    size_t n = 0, cells = x->n * x->features;
    c[n++] = (struct column){ b->labels + first, x->n * sizeof *b->labels };
    if (x->weighted)
        c[n++] = (struct column){ b->weights + first, x->n * sizeof *b->weights };
    if (p->placed)
        c[n++] = (struct column){ p->place + first, x->n * sizeof *p->place };
    if (b->kind == ROWS_DENSE)
        c[n++] = (struct column){ b->x + first * x->features, cells * sizeof *b->x };
    if (b->kind == ROWS_BYTES)
        c[n++] = (struct column){ b->bytes + first * x->features, cells };
    if (b->kind == ROWS_SPARSE) {
        c[n++] = (struct column){ b->indptr + first + 1, x->n * sizeof *b->indptr };
        c[n++] = (struct column){ b->indices + entry, x->entries * sizeof *b->indices };
        c[n++] = (struct column){ b->values + entry, x->entries * sizeof *b->values };
    }
    return n;
}

static size_t bytes_here(const struct pile *p)
{
    return builder_bytes(&p->rows) + p->rows.n * ORDERED;
}

int pile_put(struct pile *p, const struct rows *from, size_t i, uint64_t place, struct err *e)
{
    struct rows one = rows_cut(from, i, 1);
    p->placed = true;
    if (mem_grow(&p->place, &p->place_cap, p->rows.n + 1, sizeof *p->place, e) < 0 ||
        builder_append(&p->rows, &one, e) < 0)
        return -1;
    p->place[p->rows.n - 1] = place;
    return pile_relieve(p, e);
}

int pile_flush(struct pile *p, struct err *e)
{
    struct builder *b = &p->rows;
    struct extent x = { p->temp->bytes, b->n, b->entries, b->features, b->weighted };
    struct column c[COLUMNS];
    if (b->n == 0)
        return 0;
    if (mem_grow(&p->v, &p->cap, p->n + 1, sizeof *p->v, e) < 0)
        return -1;
    size_t columns = columns_of(p, &x, 0, 0, c);
    for (size_t i = 0; i < columns; i++)
        if (temp_append(p->temp, c[i].data, c[i].bytes, e) < 0)
            return -1;
    p->v[p->n++] = x;
    p->count += b->n;
    p->bytes += bytes_here(p);
    builder_clear(b);
    return 0;
}

int pile_rest(struct pile *p, struct err *e)
{
    if (pile_flush(p, e) < 0)
        return -1;
    builder_release(&p->rows);
    free(p->place);
    p->place = NULL;
    p->place_cap = 0;
    return 0;
}

int pile_relieve(struct pile *p, struct err *e)
{
    return bytes_here(p) > p->limit ? pile_flush(p, e) : 0;
}

uint64_t pile_bytes(const struct pile *p)
{
    return p->bytes + bytes_here(p);
}

/* Appends the rows of an extent, which are as wide as the builder's. */
static int read_extent(struct pile *p, const struct extent *x, struct err *e)
{
    struct builder *b = &p->rows;
    struct column c[COLUMNS];
    size_t first = b->n, entry = b->entries;
    uint64_t at = x->at;
    if ((x->weighted && builder_weigh(b, e) < 0) || builder_room_rows(b, x->n, x->entries, e) < 0 ||
        (p->placed && mem_grow(&p->place, &p->place_cap, first + x->n, sizeof *p->place, e) < 0))
        return -1;
    size_t columns = columns_of(p, x, first, entry, c);
    for (size_t i = 0; i < columns; at += c[i++].bytes)
        if (temp_read(p->temp, at, c[i].data, c[i].bytes, e) < 0)
            return -1;
    for (size_t i = 1; b->kind == ROWS_SPARSE && i <= x->n; i++)
        b->indptr[first + i] += (int64_t)entry;
    for (size_t i = 0; b->weighted && !x->weighted && i < x->n; i++)
        b->weights[first + i] = 1;
    b->n += x->n;
    b->entries += x->entries;
    return 0;
}

int pile_close(struct pile *p, size_t *blocks, struct err *e)
{
    if (!p->closed && !pile_whole(p) && pile_flush(p, e) < 0)
        return -1;
    p->closed = true;
    *blocks = pile_whole(p) ? 1 : p->n;
    return 0;
}

int pile_block(struct pile *p, size_t i, struct err *e)
{
    if (pile_whole(p))
        return 0;
    p->rows.n = p->rows.entries = 0;
    if (p->rows.kind != ROWS_SPARSE)
        p->rows.features = p->v[i].features;
    return read_extent(p, &p->v[i], e);
}

int pile_load(struct pile *p, struct err *e)
{
    size_t entries = 0;
    if (pile_whole(p))
        return 0;
    if (pile_flush(p, e) < 0)
        return -1;
    for (size_t i = 0; i < p->n; i++)
        entries += p->v[i].entries;
    if (builder_room_rows(&p->rows, p->count, entries, e) < 0)
        return -1;
    for (size_t i = 0; i < p->n; i++)
        if (read_extent(p, &p->v[i], e) < 0)
            return -1;
    return 0;
}

void pile_free(struct pile *p)
{
    builder_free(&p->rows);
    free(p->place);
    free(p->v);
    *p = (struct pile){ 0 };
}
