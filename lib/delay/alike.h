/* Which workers are alike: one law tells their durations as well as one for each does. */
#ifndef DELAY_ALIKE_H
#define DELAY_ALIKE_H

#include "delay/durations.h"

struct group {
    uint64_t *worker; /* rising */
    size_t n;
    struct durations d; /* of all of them, in the order of the file */
    double *bic;        /* of each row of the table of laws; infinite: it cannot be */
};

/* Zeroed before use. Groups in order of their first worker. */
struct alike {
    struct group *v;
    size_t n;
    size_t unknown; /* workers without a completed duration: in no group */
};

/* Starting from every worker alone, those neighbours in order of their median are put together for whom
 * one law is better than two of its family by the Bayesian information criterion (the place of the
 * division being a parameter too), the clearest case first. 0, or -1 and e: no memory, or ERR_DATA when some duration has no worker. */
int alike_open(struct alike *a, const struct durations *d, struct err *e);
void alike_free(struct alike *a);

/* "0-3,7"; free() it. NULL and e. */
char *alike_range(const struct group *g, struct err *e);

#endif
