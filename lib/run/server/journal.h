/* The trace of the server's run (-t). Nothing about it ends or stops the run: what cannot be written yet waits, up to
 * JOURNAL_ROOM; beyond that, or when nothing can be written ever again, the trace ends there, without holes, and that is
 * told. */
#ifndef RUN_JOURNAL_H
#define RUN_JOURNAL_H

#include "run/server/state.h"

enum { JOURNAL_ROOM = 4 << 20 /* bytes */ };

/* Before a worker starts: whether it can be written at all. What is there keeps what it holds until the run begins. With
 * --resume, whether it is that of the run: ERR_DATA. */
int journal_open(struct server *s, struct err *e);
/* The run begins, or goes on: s->trace goes there from now on. */
int journal_begin(struct server *s, struct err *e);
/* Hands on what is buffered. To be called once a second. */
void journal_flush(struct server *s);
/* Where a run that goes on from the last update finds it: `cut` where not all of that is written. */
struct trace_place journal_place(const struct server *s);
/* No more events will come. */
void journal_finish(struct server *s);
const struct stream *journal_stream(const struct server *s); /* or NULL */
void journal_close(struct server *s);

#endif
