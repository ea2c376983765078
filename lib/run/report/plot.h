/* dsgd-trace plot: curves, traces, delays with their fits, plans, as pictures. gnuplot draws them. */
#ifndef RUN_PLOT_H
#define RUN_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/log.h"
#include "base/opt.h"

/* What dsgd-trace plot is asked; texts are not owned. */
struct plot_conf {
    const char *out;  /* its name says the kind: svg, png, pdf; NULL: stdout, an SVG */
    const char *show; /* what of it, or NULL */
    bool ascii;
};
#define PLOT_OPTS(conf, member)                                                                              \
    { "output", 'o', "FILE", NULL, "plot: where to; the name ends in .svg, .png or .pdf", set_text,          \
      offsetof(struct conf, member.out), NULL },                                                             \
    { "show", 0, "WHAT", NULL, "plot: loss or error (curves); timeline, staleness or delays (traces)",       \
      set_text, offsetof(struct conf, member.show), NULL },                                                  \
    { "ascii", 0, NULL, NULL, "plot: as text, for a terminal", set_flag, offsetof(struct conf, member.ascii), \
      NULL }

/* One picture of all the files, which their header rows tell apart. ERR_USAGE: files that do not go together;
 * ERR_DATA: one that is none of ours; ERR_SYSTEM: no gnuplot. */
int plot(const struct plot_conf *c, const struct log *log, char *const *paths, size_t n, struct err *e);

#endif
