/* Tables of plug-ins and the SPECs that choose from them: NAME[:ITEM,ITEM...].
 *
 * Every row of every table starts with a struct plug, so that finding, parsing, listing and
 * documenting are written once. ITEM is VALUE or key=value, values before keys; VALUEs fill the
 * parameters in order; order and repetition of keys are kept (the last one counts for a plain setter).
 * A row whose first parameter is a file's path (set_path) takes all behind the colon as that. */
#ifndef BASE_PLUG_H
#define BASE_PLUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/set.h"

struct param {
    const char *name;
    setter *set;
    size_t offset;   /* into the row's conf */
    const char *def; /* text of the default; NULL: must be given */
    const char *help;
};

struct plug {
    const char *name;
    const char *help;                        /* one line, lower case, no full stop */
    const struct param *params;              /* ends with a name of NULL; NULL: none */
    bool many;                               /* all VALUEs go to the first parameter, one by one */
    size_t conf;                             /* bytes of the conf that the parameters fill */
    int (*check)(void *conf, struct err *e); /* what no single parameter can tell, or NULL */
    void (*release)(void *conf); /* frees what check took (also when it failed), or NULL */
};

struct table {
    const char *noun;               /* "policy", "delay": for messages */
    const struct plug *const *rows; /* ends with NULL */
};

/* A parsed SPEC. Owned by whoever parsed it. Zeroed before use. */
struct spec {
    const struct plug *plug; /* NULL: none was given */
    void *conf;              /* plug->conf bytes */
    char *text;              /* as it was given */
};

/* Parses text by the table into s (which is freed first when it held something).
 * 0, or -1 and ERR_USAGE: unknown names and keys list the known ones. Of a file that a row reads:
 * also ERR_DATA and ERR_SYSTEM. */
int spec_parse(struct spec *s, const struct table *t, const char *text, struct err *e);
void spec_free(struct spec *s);

/* The table as people read it: what NAME=help prints. */
void table_print(const struct table *t, FILE *out);

#endif
