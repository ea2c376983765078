/* The stream of snapshots on stdout: a reader that is slow never slows the run. */
#ifndef RUN_STREAM_H
#define RUN_STREAM_H

#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { STREAM_PATIENCE = 600 /* seconds that the last bytes wait for a reader to take some */ };

struct stream_calls {
    /* Nothing can be written any more, told once. ERR_NO: the reader has gone; ERR_SYSTEM. */
    void (*broken)(void *self, struct err *e);
    /* After stream_full: there is room again. */
    void (*room)(void *self);
    /* After stream_finish: all is written, or the stream is broken. */
    void (*finished)(void *self);
};

struct stream;

/* Writes to fd, which stays the caller's and keeps its flags (its description is shared with
 * others). */
struct stream *stream_open(struct event_base *base, int fd, bool lossless,
                           const struct stream_calls *calls, void *self, struct err *e);
void stream_close(struct stream *s);

/* Queues a record of n bytes, which the stream free()s. One that has not begun to go out is
 * replaced unless lossless. Never blocks on a pipe, a FIFO or a socket; a file takes it at once. */
void stream_put(struct stream *s, void *bytes, size_t n);
/* Lossless, and a record waits behind another: put no more until `room`. */
bool stream_full(const struct stream *s);
uint64_t stream_skipped(const struct stream *s); /* replaced before they were written */

/* No more records; `finished` follows from the event loop, at the latest when the reader has taken
 * nothing for STREAM_PATIENCE. */
void stream_finish(struct stream *s);

#endif
