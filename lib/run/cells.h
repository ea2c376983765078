/* Tables as the programs print them: tab-separated text, a header row that names the columns. */
#ifndef RUN_CELLS_H
#define RUN_CELLS_H

#include <stddef.h>

#include "base/err.h"
#include "data/fields.h"

/* Zeroed before use; cells_close at the end. */
struct cells {
    struct source source;
    struct fields record;
    char **name; /* (columns) */
    size_t columns;
};

/* Reads the header of a file, "-": stdin. -1: ERR_SYSTEM, ERR_DATA. */
int cells_open(struct cells *c, const char *path, struct err *e);
void cells_close(struct cells *c);

/* The next row: 1; 0: there are no more; -1: ERR_DATA with its place. */
int cells_next(struct cells *c, struct err *e);

/* The row's text in the column of that name; NULL: there is no such column, or it is NA. Good until the
 * next call. */
const char *cells_text(struct cells *c, const char *column);

/* Puts "file:line: " in front; returns -1. */
int cells_blame(const struct cells *c, struct err *e);

#endif
