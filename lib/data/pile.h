/* Rows in the order in which they came: as many in memory as are allowed, those before them in a temporary file. */
#ifndef DATA_PILE_H
#define DATA_PILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/temp.h"
#include "data/builder.h"

/* Rows that lie together in the file. */
struct extent {
    uint64_t at;
    size_t n, entries, features;
    bool weighted;
};

/* Zeroed before use, then `temp` and `limit` set; pile_free at the end. Rows are appended to `rows`, by pile_put or by
 * whoever calls pile_relieve afterwards. */
struct pile {
    struct temp *temp;  /* where rows go that are too many; several piles may share one */
    size_t limit;       /* bytes of rows in memory from which on they go there */
    struct builder rows; /* the last ones, or those of pile_block */
    uint64_t *place;    /* (rows.n) a number for each, where rows come by pile_put */
    size_t place_cap;
    bool placed;
    struct extent *v;   /* (n) the others */
    size_t n, cap;
    size_t count;       /* rows in the file */
    uint64_t bytes;     /* that they take in memory */
    bool closed;        /* rows in memory are those of a block, unless all are */
};

/* Appends a row and its number. */
int pile_put(struct pile *p, const struct rows *from, size_t i, uint64_t place, struct err *e);

/* All rows in memory go to the file; pile_relieve: when they are too many; pile_rest: and their memory is given back. */
int pile_flush(struct pile *p, struct err *e);
int pile_relieve(struct pile *p, struct err *e);
int pile_rest(struct pile *p, struct err *e);

/* Whether all rows are in memory. */
static inline bool pile_whole(const struct pile *p)
{
    return p->n == 0;
}

/* Bytes of all rows, with what ordering them takes. */
uint64_t pile_bytes(const struct pile *p);

/* Blocks of rows, one after the other: how many, and block i into p->rows. No more rows are put from now on. A pile that
 * is whole is one block that is there. */
int pile_close(struct pile *p, size_t *blocks, struct err *e);
int pile_block(struct pile *p, size_t i, struct err *e);

/* All rows into memory, however many. */
int pile_load(struct pile *p, struct err *e);

void pile_free(struct pile *p);

#endif
