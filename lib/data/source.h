/* The bytes of a data set: of a file, of stdin, or of the members of an archive one after the
 * other; plain or compressed, known by content. */
#ifndef DATA_SOURCE_H
#define DATA_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/log.h"
#include "data/flow.h"

#define SOURCE_STDIN "<stdin>"

/* Zeroed before use. Read-only for others. */
struct source {
    char *path;                 /* as named; SOURCE_STDIN for "-" */
    char *name;                 /* of what is read now: "rows.svm", "rows.tar(part-1.svm)" */
    char *member;               /* of an archive, what is read now: "part-1.svm"; NULL: it is none */
    int fd;
    bool chosen; /* the member that the path names */
    bool zip;   /* it is a member of a zip archive */
    bool plain; /* a whole regular file as it lies: fd can be mapped when it is a shard */
    const unsigned char *head;  /* the first bytes of what is read now */
    size_t head_n;
    const struct log *log; /* for notices; never NULL */
    struct source_state *state;
};

/* PATH, "-", or ARCHIVE//MEMBER where no file has that name; log may be NULL: no notices.
 * -1: ERR_SYSTEM, or ERR_DATA, with name. */
int source_open(struct source *s, const char *path, const struct log *log, struct err *e);

/* What is compressed may become so many times as long, and a MiB (0: 1000 times); beyond is ERR_DATA. */
void source_limit(struct source *s, double ratio);

/* Goes to the next member that holds data; a file that is no archive is its only member. Folders
 * and links are no data; the side files ._NAME of macOS are left out with a notice. 1; 0: there are
 * no more; -1: ERR_DATA, with name. */
int source_next(struct source *s, struct err *e);

/* Reads on in the member: *got < room only at its end. -1: ERR_DATA, ERR_SYSTEM, with name. */
int source_read(struct source *s, void *to, size_t room, size_t *got, struct err *e);

void source_close(struct source *s);

#endif
