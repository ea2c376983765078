/* Options as rows: parsing, defaults and --help come from them. */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "base/plug.h"
#include "base/set.h"

struct opt {
    const char *name; /* long name; NULL ends the rows */
    char letter;      /* or 0 */
    const char *arg;  /* what --help calls the argument; NULL: takes none */
    const char *def;  /* text of the default, set before parsing; NULL: none */
    const char *help; /* lower case, no full stop */
    setter *set;
    size_t offset;             /* into the program's conf */
    const struct table *table; /* not NULL: the target is a struct spec, parsed by this table or by
                                  `set`, freed by opt_free (or with set_list a list of texts, each a
                                  SPEC or RANGE=SPEC of it, with set_texts of any texts);
                                  `help` as the argument prints the table */
};

struct program {
    const char *name;     /* dsgd-ps */
    const char *synopsis; /* what follows the name in the usage line: "[OPTION]... SHARD..." */
    const char *purpose;  /* one sentence for --help */
    const struct opt *opts;
    size_t log; /* offset of a struct log in the conf; --quiet and --verbose set it */
    size_t
        given; /* offset of a uint64_t in the conf whose bit i says that row i was on the command line;
                     0: nobody asks */
};

/* Fills conf (zeroed by the caller) from the defaults, then from argv, permuting argv so that the operands start at
 * *first. --help, --version, -q and -v are known without a row; --help and --version (stdout)
 * win over everything else on the line, and so does NAME=help over other options.
 * 0: go on. 1: something was printed, end with status 0. -1: e (ERR_USAGE, names option and text,
 * points to --help). */
int opt_parse(const struct program *p, int argc, char **argv, void *conf, int *first,
              struct err *e);

/* Whether the row of that name was on the command line, by the bits of `given`. */
bool opt_given(const struct opt *opts, uint64_t given, const char *name);

/* Frees what the rows allocated: specs and lists. */
void opt_free(const struct program *p, void *conf);

#endif
