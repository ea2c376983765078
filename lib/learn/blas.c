/* Which code computes: ours by the processor; a CBLAS on one thread, as more would make the bits depend on the
 * machine's load. */
#include "learn/gradient.h"

#include <stddef.h>

#include "learn/tiles.h"

/* Weak: any CBLAS will do, and of those only OpenBLAS knows these. */
extern void openblas_set_num_threads(int n) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));

const char *gradient_blas(void)
{
    if (openblas_set_num_threads != NULL)
        openblas_set_num_threads(1);
    return openblas_get_config == NULL ? "CBLAS" : openblas_get_config();
}

const char *gradient_kernel(void)
{
    const char *name;
    tiles_choose(&name);
    return name;
}
