/* Which rows minibatch i of worker r is: the same in every program (COMMANDS, Conventions). */
#ifndef RUN_MINIBATCH_H
#define RUN_MINIBATCH_H

#include <stddef.h>
#include <stdint.h>

struct minibatch {
    uint64_t seed, rank, rows, size; /* size: b, rows a minibatch */
};

/* Minibatches in one pass: ceil(rows / b). */
uint64_t minibatch_pass(const struct minibatch *m);

/* Rows of minibatch seq: the last of a pass is short. */
uint64_t minibatch_size(const struct minibatch *m, uint64_t seq);

/* Row numbers of minibatch seq into row[0 .. size); returns how many. */
size_t minibatch_rows(const struct minibatch *m, uint64_t seq, uint64_t *row);

#endif
