/* Bytes that must be sought in or mapped, though they come from a pipe: a temporary file without a name. */
#ifndef DATA_SPOOL_H
#define DATA_SPOOL_H

#include "base/err.h"
#include "data/flow.h"

/* A descriptor, at its start, of a file of all that the flow gives; it is gone when closed. -1: e. */
int spool_open(const struct flow *from, struct err *e);

#endif
