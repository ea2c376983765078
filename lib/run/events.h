/* The objects of an array in JSON, one after the other, without holding the rest. */
#ifndef RUN_EVENTS_H
#define RUN_EVENTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "data/source.h"

enum { EVENTS_BLOCK = 1 << 16 };

/* Zeroed before use, and then `source` and `key` set; events_free at the end. */
struct events {
    struct source *source;
    const char *key; /* of the array where the text is an object, "traceEvents" */
    size_t most;     /* bytes of an object; longer is ERR_DATA */
    size_t line;     /* in which the object handed out last begins, from 1 */
    size_t now;      /* lines before the byte in hand */
    char block[EVENTS_BLOCK];
    size_t at, n;
    bool begun, bare, done; /* bare: the text is the array */
    char *text;
    size_t size, cap;
};

/* The next object, a new reference: 1; 0: the array has ended (where it is all of the text its ']' may be missing,
 * as when a program was killed); -1: ERR_DATA with file and line. */
int events_next(struct events *v, json_t **object, struct err *e);
void events_free(struct events *v);

#endif
