/* NumPy's .npz: a zip archive of .npy arrays. */
#ifndef DATA_NPZ_WRITE_H
#define DATA_NPZ_WRITE_H

#include <stddef.h>

#include "base/err.h"
#include "base/out.h"
#include "base/record.h"

/* An array of texts beside the tensors. */
struct npz_texts {
    const char *name;
    const char *const *v; /* (n), UTF-8 */
    size_t n;
};

/* Writes the tensors, each under its name, then the texts (NULL: none) as an array of NumPy's type U. The same
 * arrays give the same bytes. -1: ERR_SYSTEM. */
int npz_write(struct out *o, const struct tensor *tensors, size_t n, const struct npz_texts *texts, struct err *e);

#endif
