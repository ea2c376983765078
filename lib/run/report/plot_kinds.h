/* The pictures: what each file may be, and how it is drawn. */
#ifndef RUN_PLOT_KINDS_H
#define RUN_PLOT_KINDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/log.h"
#include "run/report/plot_script.h"

enum input_kind { INPUT_CURVE, INPUT_TRACE, INPUT_DELAYS, INPUT_FITS, INPUT_PLAN, INPUT_BOUNDS, INPUT_KINDS };

struct plot_input {
    const char *path; /* what is read */
    const char *name; /* what the user calls it */
    enum input_kind kind;
};

/* What a picture is made of. */
struct plotting {
    const struct log *log;
    const char *show; /* or NULL */
    const char *out;  /* a file, or "-" */
    const char *kind; /* svg, png, pdf or dumb */
    const struct plot_input *v;
    size_t n;
};

int plot_curves(const struct plotting *p, struct err *e); /* of dsgd-eval */
int plot_bounds(const struct plotting *p, struct err *e); /* of dsgd-plan --curve */
int plot_plan(const struct plotting *p, struct err *e);
int plot_delays(const struct plotting *p, struct err *e); /* of a trace or a column, with fits or without */
int plot_trace(const struct plotting *p, struct err *e);

/* What a run was made of, in time. */
struct bar {
    double worker, first, last; /* seconds */
    unsigned fate;              /* of enum bar_fate */
};
enum bar_fate { BAR_USED, BAR_CANCELLED, BAR_LATE, BAR_UNFINISHED, BAR_FATES };
struct story {
    struct bar *v;
    double *update;      /* times */
    double *stale;       /* gradients used, by staleness */
    size_t n, cap, updates, update_cap, stales, stale_cap;
    double workers, ended, until; /* until: what a picture shows, seconds */
    double used;                  /* gradients */
};

/* The same as text on stdout. */
void story_print(const struct story *s, bool timeline, bool staleness);

#endif
