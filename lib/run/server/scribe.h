/* The process that writes a file beside the server: it has the bytes in memory that both see, writes, syncs, renames and
 * syncs the folder, while the server goes on.
 *
 * It is started before the server has anything large, so that no page has to be copied for it; and it ends with its
 * server, for the next one must not find a file that changes. */
#ifndef RUN_SCRIBE_H
#define RUN_SCRIBE_H

#include <stddef.h>

#include "base/err.h"

struct scribe;

/* For the file `path`; `before`: a file that has to be on disk before it, or NULL. NULL and e. */
struct scribe *scribe_open(const char *path, const char *before, struct err *e);
/* Ends it; of what it was writing nothing is left. */
void scribe_close(struct scribe *s);

/* Room for so many bytes, which is not to be touched while it writes. NULL and e. */
void *scribe_room(struct scribe *s, size_t bytes, struct err *e);
/* Writes the first so many bytes of it. At `at` the eight bytes of a little-endian number become the CRC-32 of all that
 * follow them. An answer comes later: scribe_fd is readable. */
int scribe_write(struct scribe *s, size_t bytes, size_t at, struct err *e);
int scribe_fd(const struct scribe *s);
/* The answer: 0, or -1 and why the file is as it was before. */
int scribe_answer(struct scribe *s, struct err *e);

#endif
