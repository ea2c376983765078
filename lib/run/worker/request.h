/* What a program is asked: a record of the parameters, and of the rows of a minibatch where they are here. */
#ifndef RUN_REQUEST_H
#define RUN_REQUEST_H

#include "base/err.h"
#include "run/compute.h"
#include "run/external.h"
#include "run/hello.h"

/* The minibatch that was begun in c, of these parameters' version, for a worker who was welcomed so. ERR_SYSTEM. */
int request_make(struct question *q, struct compute *c, const struct welcome *w, uint64_t version, uint64_t seq,
                 struct err *e);

#endif
