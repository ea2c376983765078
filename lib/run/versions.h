/* The parameters that workers read: one copy a version, shared by all that hold it, gone with the last.
 *
 * Distances (THEORY 4, eq. 13), delay compensation and simulated gradients need w_tau, what a worker
 * read, after the parameters have moved on. At most P + 1 versions are kept. */
#ifndef RUN_VERSIONS_H
#define RUN_VERSIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/changes.h"

struct versions;

/* For parameters of `size` floats and P workers, none of whom holds anything yet. NULL and e. */
struct versions *versions_open(size_t size, uint64_t workers, struct err *e);
void versions_close(struct versions *v);

/* worker holds `version`, whose parameters are w, instead of what it held. w is copied when no other
 * worker holds that version, as far as `changes` do not say that it is what an unused copy has; only the newest version
 * handed in is looked for. -1: ERR_SYSTEM. */
int versions_hold(struct versions *v, uint64_t worker, uint64_t version, const float *w, struct changes *changes,
                  struct err *e);

/* What worker holds (size floats, until its next hold or drop), or NULL. */
const float *versions_read(const struct versions *v, uint64_t worker);

/* worker holds nothing any more. */
void versions_drop(struct versions *v, uint64_t worker);

#endif
