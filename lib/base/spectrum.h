/* The ends of the spectrum of a symmetric operator of which only products are known. */
#ifndef BASE_SPECTRUM_H
#define BASE_SPECTRUM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* y = A x, of n values each; A symmetric, without negative eigenvalues. */
typedef void product(void *self, const double *x, double *y);

/* An eigenvalue of A, as far as it is known: settled when the last SPECTRUM_PAUSE products moved it by less
 * than SPECTRUM_CLOSE of itself, or when there is no other direction left. `largest` comes from below, `least` from
 * above. NAN: there is none. */
struct eigenvalue {
    double value;
    bool settled;
};
struct spectrum {
    struct eigenvalue least, largest;
    unsigned products; /* that it took */
};
enum { SPECTRUM_PAUSE = 10 };
#define SPECTRUM_CLOSE 1e-6
/* Eigenvalues below so much of the largest are taken for 0 and not for the least: products are computed with
 * parameters of 24 bits. */
#define SPECTRUM_FLAT 1e-6

/* Lanczos' method with full reorthogonalisation (Golub, Van Loan: Matrix Computations, ch. 10) on the
 * space that A makes of `start` (n): power iteration that forgets nothing, so that both ends come out of
 * one run. Directions that start has no part in are not there. At most `most` products, and as
 * many as 512 MB of vectors hold. -1: ERR_SYSTEM. */
int spectrum_ends(struct spectrum *s, product *a, void *self, size_t n, const double *start,
                  unsigned most, struct err *e);

#endif
