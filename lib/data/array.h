/* Arrays of numbers in files, row by row: what readers of IDX and of NumPy's files have in common. */
#ifndef DATA_ARRAY_H
#define DATA_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "data/element.h"
#include "data/source.h"

enum { ARRAY_DIMS = 32 };

/* Rows of `width` numbers: the first of dims counts the rows. Zeroed before use; array_close at the end. */
struct array {
    struct source *source;
    char *name; /* of the file or member that it is read from; owned */
    const struct array_kind *kind;
    struct element element;
    uint64_t dims[ARRAY_DIMS];
    unsigned n_dims; /* 1 or more */
    uint64_t rows, width;
    bool by_columns; /* the first index runs fastest: NumPy's Fortran order */
    uint64_t done;   /* rows read */
    /* Bytes of rows: of those read last, or, when `whole`, of all. It grows as they come, for a header may
     * promise what is not there. */
    unsigned char *block;
    size_t cap; /* 0: the block is another's */
    bool whole;
    uint64_t first;   /* row that array_at counts from */
    uint64_t *column; /* (width), by_columns: numbers between the start and the first row's */
};

/* How a kind of file begins. */
struct array_kind {
    const char *name;
    float byte; /* what a feature that is an unsigned byte counts */
    bool (*bid)(const unsigned char *head, size_t n);
    /* Reads the header: element, dims, n_dims, by_columns. -1: ERR_DATA with the name. */
    int (*header)(struct array *a, struct err *e);
};
extern const struct array_kind array_idx, array_npy;

/* Starts to read the array that the source stands before, of the kind that its first bytes say. -1: ERR_DATA
 * with the name, ERR_SYSTEM. */
int array_open(struct array *a, struct source *s, struct err *e);

/* Takes numbers that lie in memory and stay the caller's: with element, dims and n_dims set. -1: ERR_DATA, ERR_SYSTEM. */
int array_over(struct array *a, const struct array_kind *kind, const char *name, const void *numbers, struct err *e);

/* All rows, now: afterwards array_next reads no more, and the source may go on. */
int array_load(struct array *a, struct err *e);

/* Up to n more rows, for array_at. *got = 0 after the last, when nothing stands behind it. */
int array_next(struct array *a, uint64_t n, uint64_t *got, struct err *e);

/* The bytes of number j of row i among those that array_next gave; a row's numbers follow each other unless
 * by_columns. */
const unsigned char *array_at(const struct array *a, uint64_t i, uint64_t j);

void array_close(struct array *a);

#endif
