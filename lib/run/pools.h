/* Workers by the pool: `--pool name=edge,n=4,delay=exp:mean=80ms,price=0.02,watts=9,2,comm=const:5ms`. */
#ifndef RUN_POOLS_H
#define RUN_POOLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/opt.h"
#include "base/set.h"

/* What of a pool is said worker by worker elsewhere, as RANGE=TEXT. */
enum pool_part { POOL_DELAY, POOL_COMM, POOL_PRICE, POOL_WATTS, POOL_PARTS };

struct pool {
    char *text; /* a copy, cut: what all others point into */
    const char *name;
    const char *part[POOL_PARTS]; /* NULL: not told */
    uint64_t n, first;            /* workers, and the rank of the first */
};

/* Zeroed before use. Pools follow each other in the order of the command line. */
struct pools {
    struct pool *v;
    size_t n;
    uint64_t workers; /* of all pools */
    char **owned;     /* (texts): what pools_list made */
    size_t texts, cap;
};

#define POOL_OPT(conf, member)                                                                       \
    { "pool", 0, "KEY=VALUE,...", NULL,                                                              \
      "a pool of alike workers: name, n, delay, comm, price (of a worker-hour) and watts (BUSY[,IDLE]); " \
      "may be repeated", set_texts, offsetof(struct conf, member), NULL }

/* From the texts as given; a piece that starts with no key of a pool belongs to the value before it, so that
 * SPECs keep their commas. ERR_USAGE names pool and key. */
int pools_open(struct pools *p, const struct text_list *texts, struct err *e);
void pools_close(struct pools *p);

/* Appends RANGE=TEXT of every pool that has this part; good until pools_close. */
int pools_list(struct pools *p, enum pool_part part, struct text_list *to, struct err *e);

/* P: that of the pools, where there are some. ERR_USAGE when *workers says another number. */
int pools_count(const struct pools *p, uint64_t *workers, struct err *e);

#endif
