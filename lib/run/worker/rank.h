/* Which worker this process is: from the command line, or from what started it. */
#ifndef RUN_RANK_H
#define RUN_RANK_H

#include <stdint.h>

#include "base/err.h"

/* given (NULL: nothing was), else $DSGD_RANK, else the first that is set of $SLURM_PROCID,
 * $OMPI_COMM_WORLD_RANK, $PMIX_RANK, $PMI_RANK, $JOB_COMPLETION_INDEX, less base; else RANK_ANY
 * (hello.h). ERR_USAGE names where the text came from. */
int rank_find(int64_t *rank, const char *given, uint64_t base, struct err *e);

/* A copy of operand with the rank in place of every %r; free() it. ERR_USAGE: there is no rank. */
char *rank_operand(const char *operand, int64_t rank, struct err *e);

#endif
