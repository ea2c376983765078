/* Which delays the plan is for, and of how many workers: SPECs, a table of fits, or a trace. */
#ifndef RUN_LAWS_H
#define RUN_LAWS_H

#include "delay/delays.h"
#include "run/plan/conf.h"
#include "run/pools.h"

/* Zeroed before use; laws_close at the end. */
struct laws {
    struct text_list texts; /* as for -d of dsgd-sim */
    char **owned;           /* (n): those of the texts that were made here */
    size_t n, cap;
    uint64_t workers; /* P; 0: not told */
    struct delays delays, comm; /* comm: of exchanges */
    struct pools pools;
};

/* `-` is a table of dsgd-trace fit: its first row, or with a column of workers the first of each. A file
 * is a trace or a column of durations, whose workers are divided and fitted as by dsgd-trace fit --by
 * worker; what was found is said. What pools say is added to c, good until laws_close. -1: ERR_USAGE, ERR_DATA, ERR_SYSTEM. */
int laws_open(struct laws *l, struct plan_conf *c, struct err *e);
void laws_close(struct laws *l);

#endif
