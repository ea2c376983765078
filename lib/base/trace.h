/* The trace of a run: one line an event, the same from dsgd-ps and dsgd-sim (dsgd-files(5)).
 * `# dsgd-trace 1 {json}`, a header row, then TSV; the order of lines is the order of replay. */
#ifndef BASE_TRACE_H
#define BASE_TRACE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum trace_kind {
    TRACE_JOIN, /* worker holds the version from now on (version) */
    TRACE_SEND, /* version granted to worker; seq = the minibatch it starts, or NA: granted only */
    TRACE_PUSH, /* gradient taken; version read, iteration before, staleness, rows, compute, delay, loss */
    TRACE_UPDATE, /* iteration = updates so far; loss = mean of the gradients combined; note n=COUNT */
    TRACE_VOID,      /* seq of worker is void from now on */
    TRACE_CANCELLED, /* a voided seq is confirmed (or its worker gone): compute and delay so far */
    TRACE_LATE,      /* a voided seq's gradient arrived all the same */
    TRACE_DROP,      /* refused for age */
    TRACE_GONE,      /* worker lost */
    TRACE_LEAVE, /* worker leaves in order; version granted last; seq, compute, delay of what it left unfinished */
    TRACE_SET,  /* something about the run changed: note */
    TRACE_STOP, /* the end; note says why */
    TRACE_KINDS
};

#define TRACE_NA UINT64_MAX /* for whole-numbered columns; NAN for the real ones */

struct trace_event {
    double time; /* seconds from the start */
    enum trace_kind kind;
    uint64_t worker, seq, version, iteration, staleness, rows;
    double compute, delay; /* seconds, measured by the worker */
    double loss;           /* mean data loss */
    char note[128];        /* no tab, no newline; "" is NA */
};

/* An event with every column NA. */
struct trace_event trace_event(enum trace_kind kind, double time);

/* How far a trace is: its first so many bytes, and their checksum. */
struct trace_place {
    uint64_t bytes;
    uint32_t crc;
    bool cut; /* it ended there, before the run was as far */
};

/* Appends to a file under its own name. meta is the JSON of line 1. Zeroed before use; a writer
 * that was never opened swallows events. A write that fails is told once (trace_flush). */
struct trace_writer {
    FILE *file;
    void (*take)(void *to, const char *bytes, size_t n); /* instead of a file: whole lines, as they come; or NULL */
    void *to;
    char *path;
    double flushed; /* time of the last flush */
    int failed;     /* errno of the first write that failed; nothing is written after it */
    int told;
    struct trace_place here, marked; /* what was written so far; the same when trace_mark was called */
    void (*see)(void *self,
                const struct trace_event *ev); /* shown every event first, file or not; or NULL */
    void *self;
};
/* Whether events go anywhere: else there is no need to make them. */
static inline int trace_wanted(const struct trace_writer *t)
{
    return t->file != NULL || t->take != NULL || t->see != NULL;
}
/* "-" is stdout. What a file held before is replaced. `see` is for the caller to set afterwards. */
int trace_open(struct trace_writer *t, const char *path, const json_t *meta, struct err *e);
/* The same without a file: lines go to `take`, whose owner minds their end. */
int trace_hand(struct trace_writer *t, void (*take)(void *to, const char *bytes, size_t n), void *to,
               const json_t *meta, struct err *e);
/* The same for a trace of which so much is written: no first two lines. */
void trace_hand_on(struct trace_writer *t, void (*take)(void *to, const char *bytes, size_t n), void *to,
                   const struct trace_place *at);
/* A run that is resumed goes on from here, as far as the trace is concerned. */
static inline void trace_mark(struct trace_writer *t)
{
    t->marked = t->here;
}
void trace_write(struct trace_writer *t, const struct trace_event *ev); /* flushes once a second */
/* Hands on what a file's buffer holds; -1 and e the first time that this or a write before it failed. */
int trace_flush(struct trace_writer *t, struct err *e);
/* The same as trace_flush, and the end of it. */
int trace_close(struct trace_writer *t, struct err *e);

/* Reads a trace; "-" is stdin. Zeroed before use. */
struct trace_reader {
    FILE *file;
    bool ours; /* to close */
    char *path;
    size_t line;
    char *buffer;
    size_t room;
    json_t *meta;
    double time; /* of the last event */
    int cut;     /* 1 at the end: the last line had no newline and was not read */
};
/* ERR_DATA when there is no trace in it. On failure t is empty. */
int trace_start(struct trace_reader *t, const char *path, struct err *e);
/* The same from a file that is open; name is for messages. The caller closes it after trace_end. */
int trace_start_file(struct trace_reader *t, FILE *file, const char *name, struct err *e);
/* 1 and ev; 0 at the end; -1 and e ("path:line: ..."). A last line without its newline is no line. */
int trace_next(struct trace_reader *t, struct trace_event *ev, struct err *e);
void trace_end(struct trace_reader *t);

/* Whether the event tells how long a minibatch took, injected delay and all; censored: it was broken
 * off after that long. Nothing is known of one that was lost with its worker, or broken off before
 * it began. */
bool trace_duration(const struct trace_event *ev, double *seconds, bool *censored);

extern const char *const trace_names[TRACE_KINDS]; /* "join", ... */

#endif
