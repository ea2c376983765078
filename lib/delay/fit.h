/* Which law durations follow: every family's likeliest parameters, and how well they do. */
#ifndef DELAY_FIT_H
#define DELAY_FIT_H

#include "delay/delay.h"
#include "delay/durations.h"

/* The chance of a distance is estimated from so many sets of durations drawn from the fitted law
 * (always the same, seed FIT_SEED), and of so many durations of the file at most: of more, evenly
 * chosen ones stand for all, as any law would be refused for what does not matter. */
enum { FIT_DRAWS = 99, FIT_CHOSEN = 1000, FIT_SEED = 1 };

struct fit {
    const struct delay_ops *row;
    struct spec law; /* the likeliest of the family; no plug: it cannot be one, `why` says */
    double loglik;   /* sum of log density (completed) and log P(X > x) (censored) */
    double aic;      /* 2 (parameters) - 2 loglik: less is better */
    double bic;      /* log(n) (parameters) - 2 loglik */
    double ks; /* greatest distance of the distribution function from Kaplan and Meier's, there
                          counted less where it is known less (Hall and Wellner) */
    double p;  /* chance of such a distance or a greater one if it were this law; NAN: not asked */
    struct err why;
};

/* Of one family. 0 also when it cannot be; -1 and e without memory. Sorts d. */
int fit_law(struct fit *f, const struct delay_ops *row, struct durations *d, struct err *e);
void fit_free(struct fit *f);

/* p, by parametric bootstrap: each drawn set is censored as the durations are (at times drawn from
 * Kaplan and Meier's estimate of when that happens) and fitted again. d in the order of the file. */
int fit_chance(struct fit *f, const struct durations *d, struct err *e);

/* Of all families that have a fit, best first by aic, those that cannot be last. Zeroed before use. */
struct fits {
    struct fit *v;
    size_t n;
};
int fits_open(struct fits *f, struct durations *d, struct err *e); /* without p. Sorts d */
void fits_free(struct fits *f);

#endif
