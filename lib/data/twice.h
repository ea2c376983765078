/* Operands that are the same data. */
#ifndef DATA_TWICE_H
#define DATA_TWICE_H

#include <stddef.h>

#include "base/log.h"

/* Says on stderr which of n operands stand for a file, or a member of an archive, that another one stands
 * for, too, by whatever name: their rows will be there more than once. */
void twice_note(char *const *paths, size_t n, const struct log *log);

#endif
