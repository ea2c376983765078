/* Durations of minibatches as they were observed: whole, or cut short. */
#ifndef DELAY_DURATIONS_H
#define DELAY_DURATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct duration {
    double seconds;
    uint64_t worker; /* UINT64_MAX: not known */
    bool censored;   /* broken off after that long: it would have taken longer */
};

/* Zeroed before use. */
struct durations {
    struct duration *v;
    size_t n, cap;
};

int durations_add(struct durations *d, const struct duration *one, struct err *e);
void durations_free(struct durations *d);

/* Adds those of a file; "-" is stdin. It is a trace, or a column: a duration a line and, behind a
 * blank, tab or comma, 1 when it is censored, else 0; the first line may name them. 0, or -1 and
 * e: "path:line: ...", ERR_DATA when there is no completed one in it. */
int durations_read(struct durations *d, const char *path, struct err *e);

/* Of the completed; n of them must be more than 0. */
size_t durations_completed(const struct durations *d);
double durations_least(const struct durations *d);
double durations_greatest(const struct durations *d); /* of all, the censored too */

/* How close the log-likelihoods at the corners of a simplex must be for a fit, and after how many
 * turns it ends all the same. */
#define FIT_CLOSE 1e-7
enum { FIT_TURNS = 400 };

#endif
