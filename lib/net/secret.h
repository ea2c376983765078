/* Bytes that others must not have: drawn, written and read. */
#ifndef NET_SECRET_H
#define NET_SECRET_H

#include <stddef.h>

#include "base/err.h"

enum { SECRET_MIN = 32 /* bytes of a key */, SECRET_MAX = 65536 /* bytes of a file */ };

/* n random bytes as 2 n hex digits and a '\0'. */
int secret_draw(char *text, size_t n, struct err *e);

/* Writes a key of SECRET_MIN random bytes, in hex, to a new file of mode 0600, whole or not at all.
 * ERR_SYSTEM also when there is anything of that name. */
int secret_make(const char *path, struct err *e);

/* The whole file, *n bytes of it with a '\0' behind them; secret_free() it. NULL: ERR_DATA when
 * group or others can read or write it, when it is no file, is empty or longer than SECRET_MAX. */
char *secret_read(const char *path, size_t *n, struct err *e);

/* Nothing of it stays in memory. */
void secret_free(char *secret, size_t n);

#endif
