/* Weights of a model for other programs: the table of --export. */
#ifndef RUN_EXPORT_H
#define RUN_EXPORT_H

#include "base/err.h"
#include "base/log.h"
#include "base/plug.h"
#include "learn/model.h"

extern const struct table export_table; /* npz csv libsvm-weights */

/* Writes a model to stdout in a format of the table (dsgd-eval(1), EXPORT). ERR_USAGE: the format cannot hold the
 * model, or would go to a terminal that cannot show it. */
int export_model(const struct spec *format, const struct model *m, const struct log *log, struct err *e);

#endif
