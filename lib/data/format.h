/* The formats of data sets: rows of functions that bid on the first bytes. */
#ifndef DATA_FORMAT_H
#define DATA_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/plug.h"
#include "data/builder.h"
#include "data/dataset.h"
#include "data/source.h"

/* How sure a bid is. */
enum { BID_NO = 0, BID_TEXT = 10, BID_LIKELY = 50, BID_MAGIC = 100 };

/* A row of the table. One reader reads one member of one source. */
struct format {
    struct plug plug;
    bool table; /* columns, of which one is the label; options about columns go with it */
    int (*bid)(const struct source *s); /* by its head; s stands before a member, or at the start */
    /* NULL and e when it cannot begin. s, b and in stay until close. open is NULL in "auto", and for
     * safetensors, which operands.c maps and, when they are no shard, gives to tensors_open. */
    void *(*open)(struct source *s, struct builder *b, const struct input *in, struct err *e);
    /* Some more rows: 1; 0: no more; -1: e with file and place. */
    int (*next)(void *self, struct err *e);
    void (*close)(void *self);
    json_t *(*meta)(const void *self); /* what must travel with the rows: new, or NULL */
};

extern const struct format format_safetensors, format_npz, format_cifar100, format_csv, format_libsvm;

/* Whether the format of that name, which may be NULL, is a table. */
bool format_is_table(const char *name);

/* Whether a format was asked for. */
bool format_told(const struct input *in);

/* The format that was asked for, else the highest bidder. NULL and e (ERR_DATA, with name). */
const struct format *format_choose(const struct input *in, const struct source *s, struct err *e);

#endif
