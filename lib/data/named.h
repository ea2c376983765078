/* Which of several arrays with names are the rows, which their labels and their weights. */
#ifndef DATA_NAMED_H
#define DATA_NAMED_H

#include <stdbool.h>

#include "base/err.h"
#include "base/plug.h"
#include "data/array.h"
#include "data/dataset.h"
#include "data/labelled.h"

enum named_part { NAMED_X, NAMED_LABELS, NAMED_WEIGHTS, NAMED_PARTS };

/* As -f npz:x=NAME,labels=NAME,weights=NAME has them. "": that of the model's data, else a usual name, else (but for
 * weights) the only array whose shape it can be. */
struct named_conf {
    const char *name[NAMED_PARTS];
};
extern const struct param named_params[];

/* Zeroed before use, then named_begin; named_free at the end. */
struct named {
    const char *format;      /* "npz" or "safetensors" */
    const char *where;       /* the file */
    const struct input *in;
    struct named_conf asked; /* by the options */
    struct named_conf liked; /* by what a model learned from */
    struct named_slot {
        struct array array; /* name NULL: none yet */
        bool exact;         /* found by its name */
        bool many;          /* by shape it could be more than one */
    } slot[NAMED_PARTS];
    char *known; /* names of all arrays, for messages; owned */
};

void named_begin(struct named *n, const struct plug *format, const char *where, const struct input *in);

/* Whether an option names it. */
bool named_asked(const struct named *n, const char *name);

/* What the array of that name is by its name; NAMED_PARTS: nothing, so far. */
enum named_part named_find(const struct named *n, const char *name);

/* What an array, of no known name, can be by its shape; NAMED_PARTS: nothing that is still sought. */
enum named_part named_guess(const struct named *n, const struct array *a);

/* Notes that there is an array of that name. */
int named_note(struct named *n, const char *name, struct err *e);

/* Takes the array over, found by its name (exact) or its shape, also when it fails. ERR_DATA: a second one of a name. */
int named_put(struct named *n, enum named_part part, bool exact, struct array *a, struct err *e);

/* Hands the arrays on to l, except labels for which the options name something else. -1 and e when one is missing.
 * rows: of a matrix that stands elsewhere; NULL: they are one of the arrays. */
int named_finish(struct named *n, struct labelled *l, const uint64_t *rows, struct err *e);

/* What the options named: new, or NULL when they named nothing. */
json_t *named_json(const struct named *n);

void named_free(struct named *n);

#endif
