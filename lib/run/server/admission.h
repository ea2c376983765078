/* May this worker take part? What a HELLO must agree with. */
#ifndef RUN_ADMISSION_H
#define RUN_ADMISSION_H

#include "run/server/state.h"

/* The first TOKEN_TEXT bytes of a HELLO. -1 and e: they are not this server's token. */
int admission_token(const struct peer *p, const unsigned char *token, struct err *e);

/* Token (before anything is parsed), JSON, name of the run, labels, features and how the data were
 * read. Fills p->hello and p->label. -1: e is for the worker to print. */
int admission_check(struct peer *p, const unsigned char *payload, size_t n, struct err *e);

#endif
