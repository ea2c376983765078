/* What gnuplot is told: variables and a table, then the file in share/plot that draws them. */
#ifndef RUN_PLOT_SCRIPT_H
#define RUN_PLOT_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

/* Zeroed before use; script_close at the end. */
struct script {
    FILE *file;
    const char *kind; /* svg, png, pdf, dumb */
};

int script_open(struct script *s, const char *kind, struct err *e);
void script_close(struct script *s);

void script_text(struct script *s, const char *name, const char *value);
void script_real(struct script *s, const char *name, double value);

/* Names of the blocks of the table: names[1] ... */
void script_names(struct script *s, char *const *names, size_t n);

/* The table follows, row by row, numbers separated by tabs; script_block begins the next block of it. A block has
 * a row of nothing first, so that none is empty. Columns: of that row. */
void script_table(struct script *s, unsigned columns);
void script_block(struct script *s, unsigned columns);
void script_row(struct script *s, const double *v, unsigned columns);
void script_table_end(struct script *s);

/* Draws by style.gp and `name`.gp, to a file ("-": stdout). ERR_SYSTEM. */
int script_draw(struct script *s, const char *name, const char *path, struct err *e);

#endif
