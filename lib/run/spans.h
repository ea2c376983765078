/* Pieces of work out of a text with named columns. */
#ifndef RUN_SPANS_H
#define RUN_SPANS_H

#include <stddef.h>
#include <stdint.h>

#include "run/import.h"

struct span {
    double start, seconds; /* start: from the first of all on */
    double step;
    char *name;      /* of its worker, owned */
    uint64_t worker; /* its number in order of names */
    size_t line;
};

/* Zeroed before use. After spans_read in order of worker, then of time. */
struct spans {
    struct span *v;
    size_t n, cap;
    uint64_t workers;
};

int spans_read(struct spans *s, const struct import_conf *conf, const char *path, const struct log *log,
               struct err *e);
/* One more, whose name is owned from here on, also when there is no room. */
int spans_add(struct spans *s, struct span *p, struct err *e);
void spans_free(struct spans *s);

#endif
