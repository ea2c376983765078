/* SciPy's sparse matrices, as scipy.sparse.save_npz writes them: a few arrays with names, of which "format" tells
 * how to read the others. */
#ifndef DATA_SPARSE_H
#define DATA_SPARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/array.h"
#include "data/builder.h"
#include "data/missing.h"
#include "data/source.h"

enum sparse_part { SPARSE_DATA, SPARSE_SHAPE, SPARSE_INDICES, SPARSE_INDPTR, SPARSE_ROW, SPARSE_COL, SPARSE_OFFSETS,
                   SPARSE_PARTS };

/* Zeroed before use; sparse_free at the end. */
struct sparse {
    char form[8]; /* "csr"; empty: no array "format", so that the others are no matrix */
    const struct sparse_form *how;
    struct array part[SPARSE_PARTS];
    const char *where;   /* the file */
    const struct missing *missing; /* how missing values are taken: NaN, from sparse_bring on */
    uint64_t rows, cols; /* from sparse_open on */
    int64_t *indptr;     /* (rows + 1), from sparse_bring on */
    int32_t *indices;    /* (indptr[rows]) */
    float *values;       /* (indptr[rows]) */
};

/* Reads the array that the source stands before, if one of a matrix has that name: 1; 0: none has. -1: e. */
int sparse_take(struct sparse *m, struct source *s, const char *name, struct err *e);

/* With all arrays taken: whether they make a matrix. ERR_DATA. */
int sparse_open(struct sparse *m, const char *where, struct err *e);

/* Brings it into rows, whatever its form. ERR_DATA, ERR_SYSTEM. */
int sparse_bring(struct sparse *m, struct err *e);

/* The entries of a row become those of the row in hand, which stays to be ended; *missing: some value is. */
int sparse_row(const struct sparse *m, uint64_t row, struct builder *b, bool *missing, struct err *e);

void sparse_free(struct sparse *m);

#endif
