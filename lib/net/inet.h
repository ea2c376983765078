/* HOST:PORT, as the rows of the internet have it: spelling, names, sockets. */
#ifndef NET_INET_H
#define NET_INET_H

#include "net/transport.h"

/* HOST:PORT into a; returns what stands behind the port, "" or "/..." (NULL: e). */
const char *inet_parse(struct address *a, const char *rest, struct err *e);

/* NAME:HOST:PORT, NAME that of the row. */
void inet_print(const struct address *a, char *text, size_t room);

/* As a row's dial and listen; anywhere: also beyond loopback. a->host becomes numbers. */
int inet_dial(const struct address *a, double seconds, struct err *e);
int inet_listen(struct address *a, bool anywhere, struct err *e);

#endif
