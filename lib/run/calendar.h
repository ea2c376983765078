/* Whose minibatch ends next: the event queue of simulated time.
 *
 * A 4-ary heap of (time, worker). Work that became void stays in it until it comes to the top or makes up
 * more than half of it; then all of it goes at once. So an entry costs a constant on average to take back,
 * and there are never more than twice as many as workers. */
#ifndef RUN_CALENDAR_H
#define RUN_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct entry {
    uint64_t time;
    uint32_t worker, stamp;
};

/* Zeroed before use. */
struct calendar {
    void *room;
    struct entry *heap; /* (n), the first on top */
    size_t n, dead;     /* dead: of the n, void */
    uint32_t *stamp;    /* (P): of the worker's last entry; odd while it is there */
    bool hole;          /* the top was taken and its place is free */
};

/* For fewer than 2^31 workers, none of whom has an entry. */
int calendar_open(struct calendar *c, uint64_t workers, struct err *e);
void calendar_close(struct calendar *c);

/* The worker's entry, in place of the one it has. */
void calendar_put(struct calendar *c, uint64_t worker, uint64_t time);
/* It has none any more; it need not have one. */
void calendar_remove(struct calendar *c, uint64_t worker);

/* The earliest, the lowest worker among equals; false: there is none. Only looks. */
bool calendar_next(struct calendar *c, uint64_t *time, uint64_t *worker);
/* Takes out what calendar_next has just shown. */
void calendar_take(struct calendar *c);

#endif
