/* A row of the table of start parameters. */
#ifndef LEARN_INIT_H
#define LEARN_INIT_H

#include "learn/model.h"

struct init_ops {
    struct plug plug;
    /* Fills w, layout->size floats that are zero. ERR_DATA: what it has does not fit. */
    int (*fill)(const void *conf, const struct layout *l, uint64_t seed, float *w, struct err *e);
    uint32_t (*crc)(const void *conf); /* of parameters that come from outside; NULL: none do */
};

/* Fills part i of w with normal values of that deviation; 0: none are drawn. */
void init_draw(const struct layout *l, size_t i, double deviation, uint64_t seed, float *w);

#endif
