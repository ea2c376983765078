/* What a run costs: the price of an hour and the watts of every worker (THEORY 2.4). */
#ifndef RUN_PRICE_H
#define RUN_PRICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/opt.h"
#include "base/set.h"

struct price_conf {
    struct text_list price; /* [RANGE=]MONEY: of an hour of a worker */
    struct text_list watts; /* [RANGE=]BUSY[,IDLE] */
};

/* Option rows for these, for a conf with a struct price_conf at `member`. */
#define PRICE_OPTS(conf, member)                                                                   \
    { "price", 0, "[RANGE=]MONEY", NULL,                                                           \
      "price of an hour of a worker, of all or of those of RANGE (0-3); may be repeated", set_list, \
      offsetof(struct conf, member.price), NULL },                                                 \
    { "watts", 0, "[RANGE=]BUSY[,IDLE]", NULL,                                                     \
      "power that a worker draws at work, and when it waits (0); may be repeated", set_list,       \
      offsetof(struct conf, member.watts), NULL }

/* Of one worker. */
struct price {
    double hour;       /* money an hour, rented whether it works or not */
    double busy, idle; /* watts */
};

/* Zeroed before use. */
struct prices {
    uint64_t workers;
    bool priced, watted; /* whether --price, --watts were given */
    struct price *of;    /* (workers) */
};

/* -1: ERR_USAGE names option and text: no number, negative, a worker beyond P, named twice or without
 * a value. With no worker at all only whether it was given is looked at. */
int prices_open(struct prices *p, const struct price_conf *c, uint64_t workers, struct err *e);
void prices_close(struct prices *p);

/* A worker that was there for `seconds`, `busy` of them at work: sum_i price_i T in money, and
 * p_busy busy + p_idle (T - busy) in joules. NAN where the option was not given. */
double prices_money(const struct prices *p, uint64_t worker, double seconds);
double prices_joules(const struct prices *p, uint64_t worker, double busy, double seconds);

#endif
