/* Different texts, numbered from 0 in the order in which they came. */
#ifndef DATA_TEXTS_H
#define DATA_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct text {
    char *text;
    size_t n; /* bytes; a NUL stands behind them */
};

/* Zeroed before use; texts_free at the end. */
struct texts {
    struct text *v;
    size_t n, cap;
    uint32_t *slots; /* hash of the text to number + 1 */
    size_t n_slots;  /* power of 2 */
    size_t last;     /* the one met last: equal ones often come in runs */
};

/* The number of a text, or -1. */
long texts_find(struct texts *t, const char *text, size_t n);

/* The number of a text that was not there before, or -1: ERR_SYSTEM. */
long texts_add(struct texts *t, const char *text, size_t n, struct err *e);

/* FNV-1a, 32 bits; begins with TEXTS_HASH, goes on with what it gave. */
#define TEXTS_HASH 2166136261u
uint32_t texts_hash(uint32_t h, const char *text, size_t n);

bool texts_utf8(const char *text, size_t n);

/* Looks like a number, as people write them somewhere, but is none: taking it for a word would hide it. */
bool texts_numberlike(const char *text, size_t n);

/* Whether a text can be printed on one line and be told in JSON. noun: what it is, for the message. ERR_DATA. */
int texts_fit(const char *text, size_t n, const char *noun, struct err *e);

void texts_free(struct texts *t);

#endif
