/* What goes out through the event loop, to readers that may be slow, stopped, gone, or still to come: none of them ever
 * stops the run. Snapshots on stdout, a model or a trace into a pipe. */
#ifndef RUN_STREAM_H
#define RUN_STREAM_H

#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { STREAM_PATIENCE = 600 /* seconds that the last bytes wait for a reader to take some */ };

/* Where it goes. */
struct stream_to {
    const char *name; /* for messages; and the FIFO's */
    int fd;           /* -1: a FIFO, opened once somebody reads it */
    bool own;         /* fd is the stream's: closed with it, and never blocks. Else its description is shared with
                         others, and keeps its flags */
    bool lossless;    /* no record is replaced by a newer one */
    double patience;  /* seconds, as STREAM_PATIENCE */
};

/* All but `broken` and `finished` may be NULL. */
struct stream_calls {
    /* Nothing can be written any more, told once. ERR_NO: the reader has gone; ERR_SYSTEM. */
    void (*broken)(void *self, struct err *e);
    /* After stream_finish: all is written, or the stream is broken. */
    void (*finished)(void *self);
    /* After stream_full: there is room again. */
    void (*room)(void *self);
    /* The next n bytes have gone out. */
    void (*wrote)(void *self, const unsigned char *bytes, size_t n);
    /* A disk is full: it is tried again every second, and what there is waits. NULL: that breaks it. */
    void (*stuck)(void *self, const struct err *e);
};

struct stream;

/* What may have to wait for a reader: "-", pipes, FIFOs, sockets, terminals. 1: to; 0: path is none of these; -1. */
int stream_find(const char *path, struct stream_to *to, struct err *e);

/* On failure an own fd is closed. */
struct stream *stream_open(struct event_base *base, const struct stream_to *to,
                           const struct stream_calls *calls, void *self, struct err *e);
void stream_close(struct stream *s); /* what waits is lost */

/* Queues a record of n bytes, which the stream free()s. One that has not begun to go out is
 * replaced unless lossless. Never blocks but on a file, which takes it at once. */
void stream_put(struct stream *s, void *bytes, size_t n);
/* Drops now what the next record will replace, so that there never are three. */
void stream_make_way(struct stream *s);
/* Lossless, and a record waits behind another: put no more until `room`. */
bool stream_full(const struct stream *s);
uint64_t stream_skipped(const struct stream *s); /* replaced before they were written */
size_t stream_waiting(const struct stream *s);   /* bytes that have not gone out */
const char *stream_name(const struct stream *s);
bool stream_unread(const struct stream *s); /* nobody has opened the FIFO yet */
bool stream_over(const struct stream *s);   /* `finished` was called; or there is no stream (NULL) */

/* Nothing more is put and nothing more is written: as if that had failed with e. */
void stream_break(struct stream *s, struct err *e);

/* No more records; `finished` follows from the event loop, at the latest when the reader has taken
 * nothing for the patience. */
void stream_finish(struct stream *s);

#endif
