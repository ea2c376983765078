/* Memory that is checked: sizes that overflow and allocations that fail become errors. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

#include "base/err.h"

/* Zeroed room for n things of `size` bytes each, 64-byte aligned, or NULL and e; free() it. n = 0 gives room for one. */
void *mem_new(size_t n, size_t size, struct err *e);

/* Room for at least `need` things in *block, which holds *cap; grows by half at least, keeps the
 * content, may move it. 0, or -1 and e, and then *block is as it was. Blocks come from malloc:
 * never hand it one of mem_new. Start with NULL and 0. */
int mem_grow(void *block /* T ** */, size_t *cap, size_t need, size_t size, struct err *e);

/* ERR_SYSTEM when this machine has less memory than so many bytes: what they are for, and both figures. */
int mem_fits(double bytes, struct err *e, const char *fmt, ...) ERR_PRINTF(3);

/* A copy of s, or NULL and e. */
char *mem_text(const char *s, struct err *e);

/* A formatted string, or NULL and e. */
char *mem_print(struct err *e, const char *fmt, ...) ERR_PRINTF(2);

#endif
