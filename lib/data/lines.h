/* Lines of text of any length, out of big blocks. */
#ifndef DATA_LINES_H
#define DATA_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "data/source.h"

/* Zeroed before use, and then `source` set; lines_free at the end. */
struct lines {
    struct source *source;
    size_t line;  /* number of the first line of the text handed out last, from 1 */
    size_t more;  /* lines joined to that one */
    char *buffer;
    size_t cap;
    size_t start; /* of the text handed out last */
    size_t at;    /* behind its newline */
    size_t end;   /* of what was read */
    bool done;    /* the source has no more */
};

/* The next line, without its line end (LF or CR LF); text[n] is no part of a number, and it and what follows can be
 * read, DIGITS_SLACK bytes (base/digits.h). A byte order mark at the very start is left out. *text stays until the
 * next call. 1; 0 at the end; -1: e with the name of the file. */
int lines_next(struct lines *l, char **text, size_t *n, struct err *e);

/* The text handed out last and, behind its line end, the next line, as one text. 0 when there is
 * none. */
int lines_join(struct lines *l, char **text, size_t *n, struct err *e);

void lines_free(struct lines *l);

/* Puts "file:line: " of the line handed out last in front; returns -1. */
int lines_blame(const struct lines *l, struct err *e);

#endif
