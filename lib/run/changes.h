/* What of the parameters the last updates changed. */
#ifndef RUN_CHANGES_H
#define RUN_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/marks.h"

/* Zeroed before use, then `size` set; changes_close at the end. No memory is taken before an update changes less than
 * all. */
struct changes {
    size_t size;              /* parameters */
    uint64_t known;           /* what changed since this version, and those after it, is known; */
    size_t *end;              /* (n) of the update that made version known + 1 + i - gone: its indices end there */
    size_t n, end_cap;
    size_t gone;              /* of them, in front: too old */
    uint32_t *index;
    size_t index_cap;
    struct marks marks;
    uint32_t *list;           /* what was asked for last: */
    size_t listed, list_cap;
    uint64_t from, to;        /* what changed between these versions */
};

/* An update that made this version changed the parameters index[0 .. n), ascending; index NULL: all of them, perhaps. */
int changes_note(struct changes *c, uint64_t version, const uint32_t *index, size_t n, struct err *e);

/* The parameters that changed since that version, ascending; *n is how many. NULL: not known, or so many that all of them
 * are sent as quickly; or no memory. They stay until the next call. */
const uint32_t *changes_since(struct changes *c, uint64_t version, size_t *n);

void changes_close(struct changes *c);

#endif
