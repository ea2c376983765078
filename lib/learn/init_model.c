/* Start as the model asks: linear models at the origin; the weights of networks normal, with the deviation
 * that keeps the variance of what goes through them (He et al., ICCV 2015, eq. 10). */
#include <string.h>

#include "learn/init.h"

static int fill(const void *conf, const struct layout *l, uint64_t seed, float *w, struct err *e)
{
    (void)e;
    (void)conf;
    if (l->start != NULL)
        memcpy(w, l->start, l->size * sizeof *w);
    for (size_t i = 0; i < l->n; i++)
        init_draw(l, i, l->parts[i].deviation, seed, w);
    return 0;
}

extern const struct init_ops init_model;
const struct init_ops init_model = {
    .plug = { .name = "model", .help = "linear models at 0, networks as He et al. (2015), others as their file" },
    .fill = fill,
};
